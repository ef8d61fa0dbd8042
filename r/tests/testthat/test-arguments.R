# Arguments in the ways of R, and how wrong ones are refused.

test_that("start, names, bounds and priors may be given in each of the usual forms", {
  one <- short(normal, c(a = 1, b = 2))
  expect_identical(short(normal, list(a = 1, b = 2))$draws, one$draws)
  expect_identical(short(normal, c(1, 2), names = c("a", "b"))$draws, one$draws)
  each <- matrix(1:8 / 10, 4, dimnames = list(NULL, c("a", "b")))
  expect_identical(short(normal, as.data.frame(each))$draws, short(normal, each)$draws)
  expect_identical(short(normal, lapply(1:4, function(i) each[i, ]))$draws, short(normal, each)$draws)
  bounded <- short(normal, c(a = 1, b = 2), lower = 0, upper = c(b = 3))
  expect_identical(short(normal, c(a = 1, b = 2), lower = list(a = 0, b = 0), upper = c(Inf, 3))$draws, bounded$draws)
  expect_true(all(bounded$draws > 0) && all(bounded$draws[, , "b"] < 3) && any(bounded$draws[, , "a"] > 0))
  priors <- c(a = "normal(0, 1)", b = "normal(0, 2)")
  expect_identical(short(normal, c(1, 2), priors = priors)$draws, short(normal, c(a = 1, b = 2), priors = as.list(unname(priors)))$draws)
})

test_that("periodic parameters may be given by name or as truth values, and are those of the program", {
  angle <- "4*cos(phi) - x^2/2"
  circle <- function(...) short(angle, c(phi = 1, x = 0), lower = c(phi = 0), upper = c(phi = 2 * pi), draws = 500, warmup = 800, ...)
  named <- circle(periodic = "phi")
  phi <- named$draws[, , "phi"]
  expect_true(all(phi >= 0 & phi < 2 * pi) && any(phi < 1) && any(phi > 5))
  expect_identical(circle(periodic = c(phi = TRUE))$draws, named$draws)
  expect_identical(circle(periodic = c(TRUE, FALSE))$draws, named$draws)
  expect_match(named$settings, "periodic = true")
  # The figures are of the circle unrolled; with plain bounds the two halves lie far apart.
  expect_gt(cos(summary(named)$mean[1]), 0.98)
  expect_lt(summary(named)$sd[1], 0.7)
  expect_gt(summary(circle())$sd[1], 2)
  # A function knows no more of it than that it is called within the bounds.
  seen <- function(x) if (x[["phi"]] < 0 || x[["phi"]] >= 2 * pi) stop("outside") else 4 * cos(x[["phi"]]) - x[["x"]]^2 / 2
  called <- short(seen, c(phi = 7, x = 0), lower = c(phi = 0), upper = c(phi = 2 * pi), periodic = "phi")
  expect_true(called$complete)
  # The ends may be those of the prior.
  prior <- short(angle, c(phi = 1, x = 0), priors = c(phi = "uniform(0, 6.283185307179586)", x = "normal(0, 1)"), periodic = "phi")
  expect_match(prior$settings, "periodic = true")
})

test_that("a start with names in another order is put in order", {
  first <- function(x) -x[["a"]]^2 / 2 - (x[["b"]] - 100)^2 / 2
  expect_identical(short(first, c(b = 100, a = 0), names = c("a", "b"))$draws, short(first, c(a = 0, b = 100))$draws)
})

test_that("a wrong argument is refused by its name, with what is allowed", {
  wrong <- list(
    "`log_density`: must be a function, .*not 3" = quote(kameleon(3)),
    "`log_density`: .*not a call" = quote(kameleon(quote(x^2), 0)),
    "`start`: give a start, or names" = quote(kameleon(normal)),
    "`start`: must be a numeric vector" = quote(kameleon(normal, "a")),
    "`start`: must be of finite numbers" = quote(kameleon(normal, c(0, NA))),
    "`start`: needs one point, or one for each of the 4 chains, not 3" = quote(kameleon(normal, matrix(0, 3, 2))),
    "`chains`: must be a whole number, 1 or more, not \"four\"" = quote(kameleon(normal, 0, chains = "four")),
    "`chains`: .*not 2.5" = quote(kameleon(normal, 0, chains = 2.5)),
    "`draws`: must be a whole number" = quote(kameleon(normal, 0, draws = -1)),
    "`warmup`: must be a number of iterations, \"auto\"" = quote(kameleon(normal, 0, warmup = "lots")),
    "`warmup`: must be a number of iterations, at least 200" = quote(kameleon(normal, 0, warmup = 10)),
    "`warmup`: \"population\" starts from the prior" = quote(kameleon(normal, 0, warmup = "population")),
    "`seed`: must be a whole number" = quote(kameleon(normal, 0, seed = "a")),
    "`sampler`: name: there is no sampler \"hmc\"" = quote(kameleon(normal, 0, sampler = "hmc")),
    "`sampler`: n: must be a whole number" = quote(kameleon(normal, 0, sampler = list("KAMH-LS", n = "a"))),
    "`sampler`: must be a name" = quote(kameleon(normal, 0, sampler = 3)),
    "`lower`: there is no parameter `c`; there are a, b" = quote(kameleon(normal, c(a = 1, b = 1), lower = c(c = 0))),
    "`upper`: x1: lower, 1, must be less than upper, 0" = quote(kameleon(normal, 0.5, lower = 1, upper = 0)),
    "`lower`: must be numbers" = quote(kameleon(normal, 0, lower = "a")),
    "`periodic`: must be the names of parameters, .*not 3" = quote(kameleon(normal, 0, periodic = 3)),
    "`periodic`: there is no parameter `c`" = quote(kameleon(normal, c(a = 1), lower = 0, upper = 1, periodic = "c")),
    "`periodic`: a: a periodic parameter needs both lower and upper" = quote(kameleon(normal, c(a = 1), lower = 0, periodic = "a")),
    "`names`: two parameters are named `a`" = quote(kameleon(normal, c(a = 0, a = 1))),
    "`priors`: a: prior normal: takes 2 numbers" = quote(kameleon(normal, c(a = 0), priors = c(a = "normal(0)"))),
    "`priors`: .*not a data frame" = quote(kameleon(normal, c(a = 0), priors = data.frame(a = "normal(0, 1)"))),
    "`priors`: .*a part of log_density" = quote(kameleon(normal, c(a = 0), priors = dnorm)),
    "`noisy`: must be TRUE or FALSE" = quote(kameleon(normal, 0, noisy = "yes")),
    "`correlated`: needs a function of standard normals" = quote(kameleon(normal, 0, correlated = 0.9)),
    "`until`: .*ess=400,rhat=1.01" = quote(kameleon(normal, 0, until = "ess")),
    "`cores`: must be a whole number" = quote(kameleon(normal, 0, cores = 0)),
    "`on_error`: must be one of \"stop\", \"reject\"" = quote(kameleon(normal, 0, on_error = "ignore")),
    "`progress`: must be TRUE or FALSE" = quote(kameleon(normal, 0, progress = "x")),
    "`...`: `chian` is neither an argument of kameleon\\(\\) nor of log_density" = quote(kameleon(normal, 0, chian = 2)),
    "`...`: there is no argument `chian`" = quote(kameleon("-x^2", c(x = 0), chian = 2)),
    "`log_density`: .*there is no parameter `y`" = quote(kameleon("-x^2 + y", c(x = 0))),
    "`log_density`: there is no target \"bananna\"" = quote(kameleon(kameleon_target("bananna"))),
    "`log_density`: c: banana has no such setting" = quote(kameleon(kameleon_target("banana", c = 1))),
    "`noisy`: is for functions" = quote(kameleon(kameleon_target("banana"), noisy = TRUE))
  )
  for (said in names(wrong)) expect_match(refusal(eval(wrong[[said]])), said, info = said)
})
