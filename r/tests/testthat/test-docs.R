# Every block of R in the documentation runs, and gives what the page says.

blocks <- function(page) {
  lines <- readLines(page, encoding = "UTF-8")
  begin <- which(lines == "```r")
  end <- which(lines == "```")
  lapply(begin, function(i) lines[seq(i + 1, min(end[end > i]) - 1)])
}

# Runs the blocks of a page one after another, in one environment, which is returned.
run_page <- function(page) {
  place <- new.env(parent = globalenv())
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (block in blocks(page)) {
    for (expression in parse(text = block)) {
      capture.output(value <- withVisible(eval(expression, place)), if (value$visible) print(value$value), type = "output")
    }
  }
  place
}

test_that("the page about R runs", {
  page <- repository("docs", "r.md")
  expect_gte(length(blocks(page)), 9)
  place <- suppressMessages(run_page(page))
  expect_true(place$fit$complete && place$fit$evidence$reliable)
  expect_true(identical(load_run(place$folder)$draws, place$whole$draws))
  expect_identical(place$enough$verdict$goal, "ess=2000")
  expect_gt(posterior::ndraws(last_run()$draws), 0)

  # A logistic regression has its mode where glm has its estimate, up to the prior.
  slopes <- function(b) place$log_likelihood(b, place$x, mtcars$am) + sum(dnorm(b, 0, 2.5, log = TRUE))
  mode <- optim(c(0, 0), slopes, control = list(fnscale = -1), hessian = TRUE)
  estimate <- coef(glm(am ~ scale(wt), binomial, mtcars))
  found <- summary(place$logistic)
  expect_true(all(abs(found$mean - mode$par) < found$sd) && all(abs(found$mean - estimate) < found$sd))
  laplace <- mode$value + log(2 * pi) - determinant(-mode$hessian)$modulus[[1]] / 2
  expect_equal(place$logistic$evidence$log, laplace, tolerance = 0.02)
})

test_that("the README runs", {
  place <- run_page(repository("README.md"))
  expect_true(place$fit$complete)
})
