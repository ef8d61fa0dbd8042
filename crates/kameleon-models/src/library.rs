//! A log density computed by a function in a shared library, through the C ABI of `include/kameleon.h`.

mod functions;

use crate::error::{ModelError, check_names, demand};
use crate::noise::NoiseInput;
use crate::reply::excerpt;
use functions::{Call, Functions, RawNoise};
use kameleon::target::NO_GRADIENT;
use kameleon::{EvalError, Evaluation, Noise, Target};
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;

/// The header that a C library includes, and that libraries in other languages follow.
pub const HEADER: &str = include_str!("../include/kameleon.h");

const OK: c_int = 0;
const REJECT: c_int = 1;
const FATAL: c_int = 2;

/// The library and its function.
#[derive(Clone, Debug)]
pub struct LibrarySettings {
    /// The library's file.
    pub path: PathBuf,
    /// The function's name; by default `kameleon_log_density` or `kameleon_noisy_log_density`.
    pub symbol: Option<String>,
    /// Text passed to `kameleon_create`.
    pub config: String,
    /// Whether the function is noisy, and where its randomness comes from.
    pub noise: NoiseInput,
}

impl LibrarySettings {
    /// The library at `path` with its function under the usual name, exact.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), symbol: None, config: String::new(), noise: NoiseInput::Exact }
    }
}

/// A shared library as a target. A clone shares the code and has its own `user`.
#[derive(Clone, Debug)]
pub struct SharedLibrary {
    functions: Arc<Functions>,
    names: Arc<Vec<String>>,
    config: Arc<CString>,
    noise: NoiseInput,
    user: User,
}

/// What `kameleon_create` returned for one clone, once it was called.
#[derive(Debug, Default)]
struct User(Option<*mut c_void>);

impl Clone for User {
    fn clone(&self) -> Self {
        Self::default()
    }
}

// SAFETY: the header requires that a `user` may be used by different threads in turn. It is used only through `&mut self`
// and in `drop`, so never by two threads at once.
#[expect(unsafe_code)]
unsafe impl Send for SharedLibrary {}

impl SharedLibrary {
    /// Loads the library, whose function computes the log density of the parameters `names`.
    ///
    /// # Safety
    /// Loading a library runs its initialisers, and calling its functions runs foreign code. The user
    /// must trust the library, and its functions must have the signatures and meet the conditions of `include/kameleon.h`.
    #[expect(unsafe_code)]
    pub unsafe fn load(settings: LibrarySettings, names: &[String]) -> Result<Self, ModelError> {
        check_names(names)?;
        let config = CString::new(settings.config.as_str()).ok();
        demand(config.is_some(), "shared library", || "its config must not contain a zero byte".into())?;
        // SAFETY: the caller vouches for the library.
        let functions = unsafe { Functions::load(&settings) }?;
        Ok(Self {
            functions: Arc::new(functions),
            names: Arc::new(names.to_vec()),
            config: Arc::new(config.unwrap_or_default()),
            noise: settings.noise,
            user: User::default(),
        })
    }

    /// This clone's `user`, created when it is first needed.
    #[expect(unsafe_code)]
    fn user(&mut self) -> Result<*mut c_void, EvalError> {
        if let Some(user) = self.user.0 {
            return Ok(user);
        }
        let user = match self.functions.create {
            None => ptr::null_mut(),
            // SAFETY: `load` was told that the function has this signature; the text outlives the call.
            Some(create) => match unsafe { create(self.config.as_ptr()) } {
                user if user.is_null() => return Err(EvalError::fatal("kameleon_create failed: it returned NULL")),
                user => user,
            },
        };
        self.user.0 = Some(user);
        Ok(user)
    }

    /// The log density, and its gradient if there is room for it.
    #[expect(unsafe_code)]
    fn call(&mut self, x: &[f64], mut noise: Noise<'_>, gradient: Option<&mut [f64]>) -> Evaluation {
        let user = self.user()?;
        let mut log_density = f64::NAN;
        let (dim, point, value) = (x.len(), x.as_ptr(), &raw mut log_density);
        let seed = self.noise.seed(&mut noise).unwrap_or(0);
        let raw = RawNoise { seed, count: noise.normals.len(), normals: noise.normals.as_ptr() };
        let slopes = gradient.map(|gradient| {
            // A library that leaves one out must not leave that of another point.
            gradient.fill(f64::NAN);
            gradient.as_mut_ptr()
        });
        // SAFETY: `load` was told that the functions have these signatures; all pointers are valid during the call, the gradient has
        // room for as many numbers as the point, and `user` is in use by this call only.
        let code = unsafe {
            match (self.functions.call, slopes) {
                (Call::Exact(f, _), None) => f(dim, point, value, user),
                (Call::Noisy(f, _), None) => f(dim, point, &raw, value, user),
                (Call::Exact(_, Some(f)), Some(slopes)) => f(dim, point, value, slopes, user),
                (Call::Noisy(_, Some(f)), Some(slopes)) => f(dim, point, &raw, value, slopes, user),
                (_, Some(_)) => return Err(EvalError::fatal(NO_GRADIENT)),
            }
        };
        match code {
            OK => Ok(log_density),
            REJECT => Err(EvalError::reject(self.reason(code, user))),
            _ => Err(EvalError::fatal(self.reason(code, user))),
        }
    }

    /// Why the library returned `code`: its own message, if it has one.
    #[expect(unsafe_code)]
    fn reason(&self, code: c_int, user: *mut c_void) -> String {
        if let Some(message) = self.functions.message {
            // SAFETY: `load` was told that the function has this signature.
            let text = unsafe { message(user) };
            if !text.is_null() {
                // SAFETY: the header requires a zero-terminated text that stays valid until the next call.
                return excerpt(unsafe { CStr::from_ptr(text) }.to_bytes());
            }
        }
        match code {
            REJECT => "the library rejected this point".into(),
            FATAL => "the library reported a fatal error".into(),
            _ => format!("the library returned {code}, not 0, 1 or 2"),
        }
    }
}

impl Target for SharedLibrary {
    fn dim(&self) -> Option<usize> {
        Some(self.names.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        self.names.to_vec()
    }

    fn normals(&self) -> usize {
        self.noise.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        self.call(x, noise, None)
    }

    fn has_gradient(&self) -> bool {
        matches!(self.functions.call, Call::Exact(_, Some(_)) | Call::Noisy(_, Some(_)))
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        self.call(x, noise, Some(gradient))
    }
}

impl Drop for SharedLibrary {
    #[expect(unsafe_code)]
    fn drop(&mut self) {
        if let (Some(user), Some(_), Some(destroy)) = (&self.user.0, self.functions.create, self.functions.destroy) {
            // SAFETY: `user` came from `kameleon_create` and is not used again.
            unsafe { destroy(*user) };
        }
    }
}
