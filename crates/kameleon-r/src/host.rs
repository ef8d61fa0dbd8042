//! R as it is called from a run: by C functions of the package (`r/src/host.c`), which catch R's long jumps.
#![expect(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::thread::ThreadId;

unsafe extern "C" {
    fn kameleon_call(
        host: *mut c_void,
        x: *const f64,
        dim: usize,
        second: *const f64,
        count: usize,
        value: *mut f64,
    ) -> c_int;
    fn kameleon_said(host: *const c_void) -> *const c_char;
    fn kameleon_tick(host: *mut c_void, line: *const c_char) -> c_int;
}

/// What a call of R came to, if not to a number.
#[derive(Debug)]
pub enum Trouble {
    /// R raised an error, with this message.
    Error(String),
    /// The function returned something else than a number, which is this.
    NotANumber(String),
    /// R is to be left alone: the user pressed Ctrl-C, or R is already on its way out of the run.
    Leaving,
}

/// R, on its one thread.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    host: *mut c_void,
    thread: ThreadId,
}

// SAFETY: the pointer is used on the thread of R only, which `is_here` makes sure of.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl Host {
    /// R, which is calling from this thread.
    ///
    /// # Safety
    /// `host` comes from `kameleon_run` of the package, and outlives all uses.
    pub unsafe fn new(host: *mut c_void) -> Self {
        Self { host, thread: std::thread::current().id() }
    }

    fn is_here(&self) -> bool {
        std::thread::current().id() == self.thread
    }

    /// The number that the user's function gives at a point, with a second argument if there is one.
    pub fn call(&self, x: &[f64], second: &[f64]) -> Result<f64, Trouble> {
        if !self.is_here() {
            return Err(Trouble::Error("the function was to be called outside the thread of R".into()));
        }
        let mut value = f64::NAN;
        // SAFETY: this is R's thread, and the slices live during the call.
        let status =
            unsafe { kameleon_call(self.host, x.as_ptr(), x.len(), second.as_ptr(), second.len(), &mut value) };
        // SAFETY: the text belongs to the host, and ends with a zero.
        let text = || unsafe { CStr::from_ptr(kameleon_said(self.host)) }.to_string_lossy().into_owned();
        match status {
            0 => Ok(value),
            1 => Err(Trouble::Error(text())),
            2 => Err(Trouble::NotANumber(text())),
            _ => Err(Trouble::Leaving),
        }
    }

    /// Lets R handle Ctrl-C, and shows it how far the run is; false if R wants to leave.
    pub fn tick(&self, line: Option<&str>) -> bool {
        let line = line.and_then(|line| CString::new(line).ok());
        let line = line.as_deref().map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: this is R's thread, and the text lives during the call.
        !self.is_here() || unsafe { kameleon_tick(self.host, line) == 0 }
    }
}
