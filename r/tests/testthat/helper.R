# What tests share: a density, the program, and the folder of the repository.

normal <- function(x) -sum(x^2) / 2

# A short run without warnings about its length.
short <- function(log_density, ..., draws = 200, warmup = 400, seed = 1) {
  suppressWarnings(kameleon(log_density, ..., draws = draws, warmup = warmup, seed = seed), classes = "kameleon_warning")
}

# The program `kameleon`, if the tests know where it is.
program <- function() {
  path <- Sys.getenv("KAMELEON_PROGRAM")
  if (path == "") skip("KAMELEON_PROGRAM does not name the program kameleon")
  path
}

# A file of the repository, if the tests know where that is.
repository <- function(...) {
  root <- Sys.getenv("KAMELEON_REPOSITORY")
  if (root == "") skip("KAMELEON_REPOSITORY does not name the repository")
  file.path(root, ...)
}

new_folder <- function() tempfile("run-")

# The message of the error.
refusal <- function(expression) conditionMessage(expect_error(expression, class = "kameleon_error"))
