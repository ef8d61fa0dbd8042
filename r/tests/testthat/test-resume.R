# Runs in folders: resumed after an end, an error or Ctrl-C, and loaded, also by the program.

test_that("a run that is made longer equals one that was long from the beginning", {
  folder <- new_folder()
  short(normal, c(a = 0, b = 1), draws = 100, folder = folder)
  longer <- suppressWarnings(resume(folder, normal, draws = 300))
  whole <- short(normal, c(a = 0, b = 1), draws = 300)
  expect_identical(longer$draws, whole$draws)
  expect_identical(load_run(folder)$draws, whole$draws)
  expect_identical(longer$folder, folder)
})

test_that("a run that an error ended goes on as if nothing had happened", {
  folder <- new_folder()
  calls <- 0
  fragile <- function(x) {
    calls <<- calls + 1
    if (calls == 2000) stop("full disk")
    normal(x)
  }
  expect_match(refusal(short(fragile, c(a = 0), folder = folder)), "full disk.*resume\\(")
  expect_match(load_run(folder)$reason, "full disk")
  expect_identical(suppressWarnings(resume(folder, fragile))$draws, short(normal, c(a = 0))$draws)
})

test_that("a noisy run, and one with further arguments, is resumed with the same random numbers", {
  noisy <- function(x, sd) -x^2 / 2 + log(mean(exp(rnorm(10, sd = sd))))
  folder <- new_folder()
  short(noisy, 0, sd = 0.3, noisy = TRUE, draws = 50, folder = folder)
  expect_identical(suppressWarnings(resume(folder, noisy, sd = 0.3, draws = 200))$draws, short(noisy, 0, sd = 0.3, noisy = TRUE)$draws)
})

test_that("a run is not resumed with another function, unless that is trusted", {
  folder <- new_folder()
  short(normal, 0, draws = 50, folder = folder)
  other <- function(x) -x^2
  expect_match(refusal(resume(folder, other, draws = 100)), "trust = TRUE")
  expect_equal(dim(suppressWarnings(resume(folder, other, draws = 100, trust = TRUE))$draws), c(100, 4, 1))
  expect_match(refusal(resume(folder)), "give the function again")
  expect_match(refusal(resume(folder, "-x^2")), "must be the function")
  expect_match(refusal(resume(tempfile())), "holds no run")
  expect_match(refusal(short(normal, 0, folder = folder)), "run")
})

test_that("R resumes runs of the program, and the program summarises runs of R", {
  folder <- new_folder()
  flags <- c("--target", "banana", "--dim", "2", "--warmup", "700", "--seed", "5", "--quiet")
  expect_equal(system2(program(), c("sample", flags, "--draws", "100", "--out", folder), stdout = FALSE, stderr = FALSE), 0)
  resumed <- suppressWarnings(resume(folder, draws = 200))
  expect_identical(resumed$draws, short(kameleon_target("banana", dim = 2), warmup = 700, draws = 200, seed = 5)$draws)
  mine <- new_folder()
  short(normal, c(mu = 0), folder = mine)
  expect_match(paste(system2(program(), c("summary", mine), stdout = TRUE, stderr = FALSE), collapse = "\n"), "mu ")
})

# Runs a script in another R, presses Ctrl-C once it says that it is ready, and returns what it printed.
interrupted <- function(script) {
  file <- tempfile(fileext = ".R")
  out <- tempfile()
  ready <- tempfile()
  paths <- paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")")
  writeLines(c(paths, "library(kameleon)", paste0("ready <- ", deparse(ready)), script), file)
  # The shell that R starts commands in the background by makes them ignore Ctrl-C, which is undone here.
  undo <- "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); os.execvp(sys.argv[1], sys.argv[1:])"
  rscript <- file.path(R.home("bin"), "Rscript")
  pid <- system(sprintf("python3 -c %s %s %s > %s 2>&1 & echo $!", shQuote(undo), rscript, file, out), intern = TRUE)
  for (i in 1:600) if (file.exists(ready)) break else Sys.sleep(0.1)
  tools::pskill(as.integer(pid), tools::SIGINT)
  for (i in 1:600) if (any(grepl("^END", readLines(out, warn = FALSE)))) break else Sys.sleep(0.1)
  paste(readLines(out, warn = FALSE), collapse = "\n")
}

test_that("Ctrl-C in a function returns what was drawn and keeps the folder, which can be resumed", {
  skip_on_os("windows")
  skip_if(Sys.which("python3") == "", "there is no python3")
  folder <- new_folder()
  said <- interrupted(c(
    "calls <- 0",
    "slow <- function(x) { calls <<- calls + 1; if (calls == 4000) { file.create(ready); Sys.sleep(30) }; -sum(x^2) / 2 }",
    sprintf("fit <- kameleon(slow, 0, draws = 5000, warmup = 400, seed = 1, folder = %s)", deparse(folder)),
    "cat(fit$ending, fit$complete, nrow(fit$draws) > 100, inherits(last_run(), 'kameleon'), '\\nEND\\n')"
  ))
  expect_match(said, "stopped FALSE TRUE TRUE")
  expect_match(said, "the run was stopped before its end")
  expect_identical(suppressWarnings(resume(folder, normal))$draws, short(normal, 0, draws = 5000)$draws)
})

test_that("Ctrl-C ends a run on all cores too", {
  skip_on_os("windows")
  skip_if(Sys.which("python3") == "", "there is no python3")
  said <- interrupted(c(
    "tell <- function(line) if (grepl('sampling', line)) file.create(ready)",
    "fit <- kameleon(kameleon_target('banana', dim = 2), draws = 1e7, warmup = 1000, keep_jumps = FALSE, progress = tell, seed = 1)",
    "cat(fit$ending, fit$complete, nrow(fit$draws) > 100, '\\nEND\\n')"
  ))
  expect_match(said, "stopped FALSE TRUE")
})
