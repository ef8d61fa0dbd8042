//! The functions of a shared library, with the signatures of `include/kameleon.h`.

use super::LibrarySettings;
use crate::error::ModelError;
use libloading::Library;
use std::error::Error as _;
use std::ffi::{c_char, c_int, c_void};

/// `kameleon_noise`
#[repr(C)]
pub struct RawNoise {
    pub seed: u64,
    pub count: usize,
    pub normals: *const f64,
}

type Exact = unsafe extern "C" fn(usize, *const f64, *mut f64, *mut c_void) -> c_int;
type Noisy = unsafe extern "C" fn(usize, *const f64, *const RawNoise, *mut f64, *mut c_void) -> c_int;
type Gradient = unsafe extern "C" fn(usize, *const f64, *mut f64, *mut f64, *mut c_void) -> c_int;
type NoisyGradient = unsafe extern "C" fn(usize, *const f64, *const RawNoise, *mut f64, *mut f64, *mut c_void) -> c_int;
type Create = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type Destroy = unsafe extern "C" fn(*mut c_void);
type Message = unsafe extern "C" fn(*mut c_void) -> *const c_char;

/// The log density, exact or noisy.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Exact(Exact, Option<Gradient>),
    Noisy(Noisy, Option<NoisyGradient>),
}

/// The functions that are called. They are valid while the library is loaded, which is as long as this value lives.
#[derive(Debug)]
pub struct Functions {
    pub call: Call,
    pub create: Option<Create>,
    pub destroy: Option<Destroy>,
    pub message: Option<Message>,
    _library: Library,
}

impl Functions {
    /// Loads the library and finds its functions.
    ///
    /// # Safety
    /// The library's initialisers are run, and its functions must have the signatures of the header.
    #[expect(unsafe_code)]
    pub unsafe fn load(settings: &LibrarySettings) -> Result<Self, ModelError> {
        let wrong = |why: String| ModelError::new(format_args!("shared library {}", settings.path.display()), why);
        // The system's message is the source of the error.
        let unloadable = |error: libloading::Error| {
            let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            wrong(format!("cannot be loaded: {why}"))
        };
        // SAFETY: the caller vouches for the initialisers.
        let library = unsafe { Library::new(&settings.path) }.map_err(unloadable)?;
        let noisy = settings.noise.is_noisy();
        let usual = if noisy { "kameleon_noisy_log_density" } else { "kameleon_log_density" };
        let name = settings.symbol.as_deref().unwrap_or(usual);
        let gradient = format!("{name}_gradient");
        let missing = || wrong(format!("has no function `{name}`"));
        // SAFETY: the caller vouches for the signatures.
        unsafe {
            let call = if noisy {
                Call::Noisy(find(&library, name).ok_or_else(missing)?, find(&library, &gradient))
            } else {
                Call::Exact(find(&library, name).ok_or_else(missing)?, find(&library, &gradient))
            };
            let create = find(&library, "kameleon_create");
            let destroy = find(&library, "kameleon_destroy");
            let message = find(&library, "kameleon_message");
            Ok(Self { call, create, destroy, message, _library: library })
        }
    }
}

/// The function called `name`, if the library has it.
///
/// # Safety
/// It must be of type `F`.
#[expect(unsafe_code)]
unsafe fn find<F: Copy>(library: &Library, name: &str) -> Option<F> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name) }.ok().map(|symbol| *symbol)
}
