# One seed, the same draws, bit for bit: through Rust, through the program, through R.

# A run of the program, as R reads it back.
by_program <- function(...) {
  folder <- new_folder()
  run <- c("sample", ..., "--out", folder, "--quiet", "--json")
  expect_equal(system2(program(), run, stdout = FALSE, stderr = FALSE), 0)
  load_run(folder)
}

test_that("draws are those of the program, with the default sampler and with the paper's", {
  flags <- c("--target", "banana:b=0.1", "--dim", "8", "--warmup", "1000", "--draws", "500", "--seed", "3")
  for (sampler in c("kameleon", "KAMH-LS")) {
    stored <- by_program(flags, "--sampler", sampler)
    expect_equal(dim(stored$draws), c(500, 4, 8))
    native <- short(kameleon_target("banana", b = 0.1, dim = 8), sampler = sampler, warmup = 1000, draws = 500, seed = 3)
    expect_identical(native$draws, stored$draws)
    expect_identical(native$log_density, stored$log_density)
    expect_identical(native$evidence, stored$evidence)
    expect_identical(summary(native)$mean, summary(stored)$mean)
  }

  expect_equal(system2(program(), c("export", stored$folder, "--csv"), stdout = FALSE), 0)
  csv <- utils::read.csv(file.path(stored$folder, "posterior.csv"))
  expect_identical(csv$x8[csv$chain == 2], as.numeric(native$draws[, 3, "x8"]))
})

test_that("a run from its priors is that of the program: a population, chains, and modes, of an expression and of the same function in R", {
  text <- "-(x*x - 4)*(x*x - 4) - (y - x)*(y - x)"
  priors <- c(x = "uniform(-5, 5)", y = "normal(0, 2)")
  file <- tempfile(fileext = ".toml")
  writeLines(c(
    "[model]", sprintf("log-density = \"%s\"", text), "[parameters]", sprintf("%s = { prior = \"%s\" }", names(priors), priors),
    "[run]", "draws = 200", "seed = 3"
  ), file)
  stored <- by_program(file)
  expect_match(stored$settings, "warmup = \"population\"", fixed = TRUE)
  expect_equal(nrow(stored$modes), 2)
  # Sums and products only, which are the same in R and in Rust to the last bit.
  same <- function(v) {
    x <- v[[1]]
    y <- v[[2]]
    -(x * x - 4) * (x * x - 4) - (y - x) * (y - x)
  }
  for (log_density in list(text, same)) {
    fit <- short(log_density, priors = priors, warmup = "auto", seed = 3)
    expect_identical(fit$draws, stored$draws)
    expect_identical(fit$log_density, stored$log_density)
    expect_identical(fit$modes, stored$modes)
    expect_identical(fit$evidence, stored$evidence)
    expect_identical(fit$statistics$evaluations, stored$statistics$evaluations)
  }
})

test_that("draws are those of the Rust library", {
  # From crates/kameleon/tests/all/chain.rs, `pinned_seeds_give_pinned_draws`: the first coordinate of the first draw of the
  # first chain, and the last coordinate of the last draw of the second, of a banana from the origin.
  # Only samplers whose chains learn alone: for the others the fourth start would matter.
  pinned <- list("SM" = c(4.00730051353734, -1.1525725031265446), "KAMH-LS" = c(2.02877178197644, -0.923815180805033))
  starts <- rbind(matrix(0, 3, 3), 1)  # starts that differ are taken as they are
  for (sampler in names(pinned)) {
    target <- kameleon_target("banana", dim = 3, b = 0.1, v = 25)
    fit <- short(target, starts, sampler = sampler, warmup = 800, draws = 300, seed = 17)
    expect_identical(c(fit$draws[1, 1, 1], fit$draws[300, 2, 3]), pinned[[sampler]])
  }
})

test_that("draws of a function of R do not depend on where it is kept, and those of a target not on the cores", {
  expect_identical(short(normal, c(1, 2), folder = new_folder())$draws, short(normal, c(1, 2))$draws)
  target <- kameleon_target("ring")
  expect_identical(short(target, cores = 1)$draws, short(target, cores = 4)$draws)
})

test_that("set.seed() determines a run without a seed of its own, and another seed gives other draws", {
  draw <- function(seed) {
    set.seed(seed)
    suppressWarnings(kameleon(normal, 0, draws = 100, warmup = 400))$draws
  }
  expect_identical(draw(1), draw(1))
  expect_false(identical(draw(1), draw(2)))
})
