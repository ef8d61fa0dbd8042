! A model in Fortran as a shared library:
!   gfortran -O2 -shared -fPIC -o libbanana.so banana_library.f90
! The function has the name and the arguments of kameleon.h; it keeps nothing, so it needs no `user`.
function kameleon_log_density(dim, x, log_density, user) result(code) bind(c)
    use, intrinsic :: iso_c_binding
    implicit none
    integer(c_size_t), value :: dim
    real(c_double), intent(in) :: x(dim)
    real(c_double), intent(out) :: log_density
    type(c_ptr), value :: user
    integer(c_int) :: code

    log_density = 0
    if (dim /= 2) then
        code = 2 ! KAMELEON_FATAL
        return
    end if
    ! The banana B(0.1, 100).
    log_density = -x(1)**2 / 200 - (x(2) - 0.1_c_double * (x(1)**2 - 100))**2 / 2
    code = 0 ! KAMELEON_OK
end function
