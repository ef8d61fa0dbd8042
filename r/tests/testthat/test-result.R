# The result for other packages, its summary and how it is printed.

fit <- short(kameleon_target("two-modes", dim = 2), draws = 1000, warmup = 2000)

test_that("a result is drawn on by posterior in each of its formats", {
  expect_s3_class(fit$draws, "draws_array")
  expect_identical(as_draws(fit), fit$draws)
  for (as in list(as_draws_df, as_draws_matrix, as_draws_list, as_draws_rvars)) {
    expect_identical(posterior::ndraws(as(fit)), 4000L)
  }
  expect_identical(as.data.frame(fit)$x1, as.numeric(fit$draws[, , "x1"]))
  by_posterior <- posterior::summarise_draws(fit)
  expect_equal(as.numeric(by_posterior$mean), summary(fit)$mean)
  expect_equal(as.numeric(by_posterior$rhat), summary(fit)$rhat, tolerance = 1e-6)
  expect_equal(as.numeric(by_posterior$ess_bulk), summary(fit)$ess_bulk, tolerance = 1e-6)
})

test_that("a result is drawn on by coda", {
  skip_if_not_installed("coda")
  chains <- coda::as.mcmc.list(fit)
  expect_identical(coda::nchain(chains), 4L)
  expect_identical(as.numeric(chains[[2]][, "x2"]), as.numeric(fit$draws[, 2, "x2"]))
})

test_that("a summary is a data frame with a row for each parameter, and a part of it is a plain one", {
  table <- summary(fit)
  expect_s3_class(table, "data.frame")
  expect_identical(table$variable, c("x1", "x2"))
  expect_identical(class(table[1, ]), "data.frame")
  expect_equal(dim(as.data.frame(table)), c(2, 10))
  skip_if_not_installed("tibble")
  expect_identical(tibble::as_tibble(table)$mean, table$mean)
})

test_that("a result prints its table, its verdict, its evidence and its warnings", {
  printed <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(printed, "kameleon on two-modes")
  expect_match(printed, "ess_bulk")
  expect_match(printed, "onverged")
  expect_match(printed, "log normalising constant")
  expect_output(print(summary(fit)), "rhat")
  expect_output(print(kameleon_target("banana")), "banana")
})

test_that("weighted draws are the jump proposals, whose weights tell the evidence", {
  weighted <- weighted_draws(fit)
  log_weights <- as.numeric(posterior::extract_variable(weighted, ".log_weight"))
  expect_equal(posterior::ndraws(weighted), fit$evidence$proposals)
  top <- max(log_weights)
  expect_lt(abs(top + log(mean(exp(log_weights - top))) - fit$evidence$log), 0.2)
  expect_match(refusal(weighted_draws(short(normal, 0, sampler = "SM"))), "SM makes no jumps")
  expect_match(refusal(weighted_draws(3)), "must be a result of kameleon")
})

test_that("a verdict that chains have not converged is a warning, and a converged run gives none", {
  expect_warning(kameleon(normal, 0, sampler = "SM", draws = 50, warmup = 100, seed = 1), "not converged: .*ESS", class = "kameleon_warning")
  expect_no_warning(kameleon(normal, 0, draws = 5000, warmup = 2000, seed = 1))
})

test_that("a rule or a limit ends a run", {
  by_rule <- short(normal, 0, draws = NULL, until = "ess=500")
  expect_identical(by_rule$verdict$goal, "ess=500")
  expect_lte(short(normal, 0, draws = NULL, warmup = "chains", max_evaluations = 4000)$statistics$evaluations, 4000)
})

test_that("modes that a population finds are listed with their weights", {
  two <- function(x) log(0.3 * dnorm(x, -20) + 0.7 * dnorm(x, 20))
  found <- short(two, names = "x", priors = c(x = "normal(0, 20)"), warmup = "population")
  expect_equal(nrow(found$modes), 2)
  expect_equal(found$modes$weight, c(0.7, 0.3), tolerance = 0.1)
  expect_output(print(found), "modes by weight")
  expect_null(found$caution)
})

test_that("one mode that was found by short looks is printed with what it may hide", {
  one <- short(function(x) dnorm(x, 3, log = TRUE), names = "x", priors = c(x = "normal(0, 20)"), warmup = "population")
  expect_equal(nrow(one$modes), 1)
  expect_output(print(one), "one mode, by short looks")
})

test_that("warm-up draws are kept where they are asked for", {
  expect_null(fit$warmup_draws)
  expect_equal(posterior::niterations(short(normal, 0, keep_warmup = TRUE)$warmup_draws), 400)
})

test_that("progress is told to a function, by messages where nobody watches, and not at all by default", {
  lines <- NULL
  slow <- function(x) {
    Sys.sleep(0.005)
    normal(x)
  }
  short(slow, 0, chains = 1, draws = 50, warmup = 50, sampler = "SM", progress = function(line) lines <<- c(lines, line))
  expect_match(lines[1], "warm-up: 1 chains, [0-9]+ iterations, accepted")
  expect_silent(short(normal, 0))
  watcher <- kameleon:::message_watcher(every = 0)
  expect_message(watcher$tell("half of it"), "half of it")
  expect_match(refusal(short(normal, 0, progress = NA)), "TRUE or FALSE")
})

test_that("a result is plotted", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fit), fit)
  expect_match(refusal(plot(fit, "x9")), "there is no `x9`; there are x1, x2")
})
