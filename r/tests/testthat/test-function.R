# Functions of R as log densities: what they see, what they may return, and what happens when they fail.

test_that("a function sees names where there are some, its further arguments, and is called on points within bounds", {
  seen <- list()
  look <- function(x, data, scale) {
    seen[[length(seen) + 1]] <<- x
    -sum((x - data)^2) / 2 / scale^2
  }
  fit <- short(look, c(a = 1, b = 2), data = c(1, 2), scale = 3, lower = c(b = 0))
  expect_true(all(vapply(seen, function(x) identical(names(x), c("a", "b")) && x[["b"]] > 0, TRUE)))
  expect_identical(posterior::variables(fit$draws), c("a", "b"))
  seen <- list()
  short(look, c(1, 2), data = c(1, 2), scale = 3)
  expect_null(names(seen[[1]]))
})

test_that("what was drawn is distributed as the function says", {
  fit <- kameleon(function(x) sum(dnorm(x, c(3, -2), c(1, 10), log = TRUE)), c(m = 0, s = 0), seed = 5, draws = 5000)
  found <- summary(fit)
  expect_true(all(abs(found$mean - c(3, -2)) < 5 * found$mcse_mean))
  expect_equal(found$sd, c(1, 10), tolerance = 0.1)
  expect_true(fit$evidence$reliable)
  expect_lt(abs(fit$evidence$log), 5 * fit$evidence$error + 0.01)
})

test_that("an integer, a number with a name and a matrix of one number are numbers", {
  for (as in list(as.integer, function(v) c(value = v), as.matrix)) {
    fit <- short(function(x) as(-abs(round(x))), 0)
    expect_equal(dim(fit$draws), c(200, 4, 1))
  }
})

test_that("what is no number ends the run with its type and the point", {
  expect_match(refusal(short(function(x) c(1, 2), c(mu = 0.5))), "one number, not 2 of them.*mu = 0.5")
  expect_match(refusal(short(function(x) "a", c(mu = 0.5))), "type character")
  expect_match(refusal(short(function(x) TRUE, c(mu = 0.5))), "type logical")
  expect_match(refusal(short(function(x) factor("a"), c(mu = 0.5))), "type factor")
  expect_match(refusal(short(function(x) data.frame(a = 1), c(mu = 0.5))), "type data frame")
  expect_match(refusal(short(function(x) NULL, c(mu = 0.5))), "NULL")
  expect_match(refusal(short(function(x) numeric(0), c(mu = 0.5))), "0 of them")
})

test_that("NA, NaN and Inf reject a point and are counted, and -Inf is outside the support", {
  odd <- function(x, value) if (x > 1) value else -x^2 / 2
  for (value in list(NA, NA_integer_, NaN, Inf)) {
    expect_warning(fit <- kameleon(odd, 0, value = value, draws = 200, warmup = 400, seed = 1), "NaN|inf") |> suppressWarnings()
    expect_gt(fit$statistics$invalid, 0)
    expect_true(all(fit$draws <= 1))
  }
  fit <- short(odd, 0, value = -Inf)
  expect_identical(fit$statistics$invalid, 0)
  expect_identical(length(fit$warnings), 0L)
})

test_that("a start where the density is zero or not known is refused", {
  expect_match(refusal(short(function(x) NA, 0)), "chain 1 cannot start at x1 = 0.*NaN")
  expect_match(refusal(short(function(x) -Inf, 0)), "density is zero")
  expect_match(refusal(short(function(x) stop("no data"), c(mu = 0))), "log_density failed at mu = 0: no data")
})

test_that("an error of the function ends the run with R's message and the point, and no draw is lost", {
  calls <- 0
  fragile <- function(x) {
    calls <<- calls + 1
    if (calls > 3000) stop("the simulator crashed")
    normal(x)
  }
  error <- expect_error(kameleon(fragile, c(mu = 0), chains = 1, draws = 5000, warmup = 400, seed = 1), class = "kameleon_target_error")
  expect_match(conditionMessage(error), "log_density failed at mu = -?[0-9.]+: the simulator crashed")
  expect_match(conditionMessage(error), "The 25[0-9]{2} draws that had been made are in last_run\\(\\)")
  expect_identical(conditionMessage(error$parent), "the simulator crashed")
  expect_identical(error$result$draws, last_run()$draws)
  whole <- short(normal, c(mu = 0), chains = 1, draws = 5000)
  made <- posterior::niterations(error$result$draws)
  expect_identical(c(error$result$draws), c(whole$draws)[seq_len(made)])
  expect_false(last_run()$complete)
})

test_that("errors that the function handles itself, and warnings that it gives, do not end the run", {
  careful <- function(x) tryCatch(if (x > 1) stop("never mind") else normal(x), error = function(e) -Inf)
  expect_true(all(short(careful, 0)$draws <= 1))
  expect_warning(kameleon(function(x) { warning("look here"); normal(x) }, 0, chains = 1, draws = 20, warmup = 200, sampler = "SM"), "look here") |>
    suppressWarnings()
})

test_that("errors reject points with on_error = \"reject\", and are counted", {
  fragile <- function(x) if (x > 1) stop("too far") else normal(x)
  expect_warning(fit <- kameleon(fragile, 0, on_error = "reject", draws = 200, warmup = 400, seed = 1), "failed at [0-9]+ points.*too far") |>
    suppressWarnings()
  expect_true(all(fit$draws <= 1))
})

test_that("a run may be made within the function of another", {
  inner <- function(x) {
    short(normal, 0, chains = 1, draws = 10, warmup = 200, sampler = "SM")
    normal(x)
  }
  expect_identical(short(inner, 0, chains = 1, draws = 5, warmup = 10, sampler = "SM")$draws, short(normal, 0, chains = 1, draws = 5, warmup = 10, sampler = "SM")$draws)
})

test_that("a noisy function is reproducible by the seed of the run, and leaves the generator of the session alone", {
  noisy <- function(x) -x^2 / 2 + log(mean(exp(rnorm(10, sd = 0.3))))
  set.seed(1)
  before <- .Random.seed
  first <- short(noisy, 0, noisy = TRUE)
  expect_identical(.Random.seed, before)
  runif(3)
  expect_identical(short(noisy, 0, noisy = TRUE)$draws, first$draws)
  expect_true(first$noisy)
  expect_warning(kameleon(noisy, 0, draws = 200, warmup = 400, seed = 1), "noisy = TRUE") |> suppressWarnings()
})

test_that("a function of standard normals gets as many as it asks for, correlated or not", {
  sizes <- NULL
  estimate <- function(x, u) {
    sizes <<- unique(c(sizes, length(u)))
    -x^2 / 2 + 0.3 * mean(u) - 0.3^2 / length(u) / 2
  }
  fit <- short(estimate, 0, normals = 5, correlated = 0.9)
  expect_identical(sizes, 5L)
  expect_true(fit$noisy)
})
