//! A compiled function by its address, from numba or ctypes: called without the interpreter, on any thread.
#![allow(unsafe_code)]

use kameleon::{Evaluation, Noise, Target};
use pyo3::prelude::*;
use std::sync::Arc;

type Exact = unsafe extern "C" fn(*const f64, isize) -> f64;
type Seeded = unsafe extern "C" fn(*const f64, isize, u64) -> f64;
type Normal = unsafe extern "C" fn(*const f64, isize, *const f64, isize) -> f64;

/// The function, by the arguments it takes.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// `double f(const double *x, intptr_t dim)`
    Exact(Exact),
    /// `double f(const double *x, intptr_t dim, uint64_t seed)`
    Seeded(Seeded),
    /// `double f(const double *x, intptr_t dim, const double *normals, intptr_t count)`
    Normal(Normal, usize),
}

impl Function {
    /// The function at `address` with this number of arguments, if there is such a kind.
    ///
    /// # Safety
    /// There must be such a function at the address, safe to be called from several threads at once.
    pub unsafe fn at(address: usize, arguments: usize, normals: usize) -> Option<Self> {
        if address == 0 {
            return None;
        }
        // SAFETY: the caller vouches for address and signature, and the address is not null.
        unsafe {
            match arguments {
                2 => Some(Self::Exact(std::mem::transmute::<usize, Exact>(address))),
                3 => Some(Self::Seeded(std::mem::transmute::<usize, Seeded>(address))),
                4 => Some(Self::Normal(std::mem::transmute::<usize, Normal>(address), normals)),
                _ => None,
            }
        }
    }
}

/// A compiled function as a target.
#[derive(Clone)]
pub struct Pointer {
    function: Function,
    /// The Python object that owns the code.
    _owner: Arc<Py<PyAny>>,
}

impl Pointer {
    /// A function and the object that keeps its code alive.
    pub fn new(function: Function, owner: Py<PyAny>) -> Self {
        Self { function, _owner: Arc::new(owner) }
    }
}

impl Target for Pointer {
    fn normals(&self) -> usize {
        if let Function::Normal(_, count) = self.function { count } else { 0 }
    }

    fn log_density(&mut self, x: &[f64], mut noise: Noise<'_>) -> Evaluation {
        let (point, dim) = (x.as_ptr(), x.len() as isize);
        // SAFETY: whoever made the `Function` vouched for its signature; the slices live through the call.
        Ok(unsafe {
            match self.function {
                Function::Exact(f) => f(point, dim),
                Function::Seeded(f) => f(point, dim, noise.seed()),
                Function::Normal(f, _) => f(point, dim, noise.normals.as_ptr(), noise.normals.len() as isize),
            }
        })
    }
}
