# Log densities that are no functions of R: expressions, programs, libraries, built-in targets and posteriors.

test_that("an expression with priors gives posterior, evidence and a population without a start", {
  fit <- kameleon("7*ln(rate) - 3*rate", priors = c(rate = "gamma(2, 1)"), seed = 1, draws = 4000)
  expect_equal(summary(fit)$mean, 9 / 4, tolerance = 0.02)
  truth <- lgamma(9) - 9 * log(4) - lgamma(2)
  expect_true(fit$evidence$reliable)
  expect_identical(fit$evidence$name, "log evidence")
  expect_lt(abs(fit$evidence$log - truth), 5 * fit$evidence$error)
  expect_match(fit$settings, "warmup = \"population\"", fixed = TRUE)
})

test_that("a function under priors equals the expression under the same priors", {
  priors <- c(rate = "gamma(2, 1)")
  by_text <- short("7*ln(rate) - 3*rate", c(rate = 2), priors = priors)
  by_function <- short(function(x) 7 * log(x[["rate"]]) - 3 * x[["rate"]], c(rate = 2), priors = priors)
  expect_equal(c(by_function$draws), c(by_text$draws), tolerance = 1e-8)
})

test_that("a program is sampled", {
  skip_on_os("windows")
  script <- tempfile(fileext = ".sh")
  answer <- "  awk -v x=\"$x\" 'BEGIN { printf \"{\\\"log_density\\\": %.17g}\\n\", -x*x/2 }'"
  writeLines(c("#!/bin/sh", "while read -r line; do", "  x=${line#*[}; x=${x%%]*}", answer, "done"), script)
  Sys.chmod(script, "755")
  fit <- short(kameleon_program(script), c(x = 0), chains = 2, draws = 30, warmup = 30, sampler = "SM")
  expect_equal(dim(fit$draws), c(30, 2, 1))
  expect_equal(c(fit$log_density), -c(fit$draws)^2 / 2, tolerance = 1e-12)
})

test_that("a shared library is sampled", {
  compiler <- Sys.which("gcc")
  skip_if(compiler == "", "there is no gcc")
  source <- tempfile(fileext = ".c")
  library <- sub("\\.c$", ".so", source)
  writeLines(c(
    "#include <stddef.h>",
    "int kameleon_log_density(size_t dim, const double *x, double *log_density, void *user) {",
    "  *log_density = -x[0] * x[0] / 2;",
    "  return 0;",
    "}"
  ), source)
  expect_equal(system2(compiler, c("-shared", "-fPIC", "-o", library, source)), 0)
  fit <- short(kameleon_library(library), c(x = 0))
  expect_equal(c(fit$log_density), -c(fit$draws)^2 / 2, tolerance = 1e-12)
})

test_that("a posterior of real data comes with names and priors", {
  fit <- short(kameleon_target("eight-schools"), warmup = 1000)
  expect_true(all(c("mu", "tau") %in% posterior::variables(fit$draws)))
})

test_that("settings of targets and samplers may be given as a text or as arguments", {
  one <- short(kameleon_target("banana", b = 0.03, dim = 2), sampler = list("KAMH-LS", n = 50), warmup = 1000)
  other <- short(kameleon_target("banana:b=0.03,dim=2"), sampler = "KAMH-LS:n=50", warmup = 1000)
  expect_identical(one$draws, other$draws)
})

test_that("everything that has a name is listed", {
  all <- kameleon_list()
  expect_true("banana" %in% all$targets$name && "eight-schools" %in% all$posteriors$name)
  expect_true("kameleon" %in% all$samplers$name && any(grepl("^normal\\(", all$priors$prior)))
  expect_output(print(all), "samplers:")
})
