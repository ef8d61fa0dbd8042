# kameleon(): a run from its arguments.

kameleon <- function(log_density, start = NULL, ...,
                     chains = 4, draws = NULL, warmup = "auto", max_warmup = NULL, thin = 1, seed = NULL,
                     sampler = "kameleon", names = NULL, lower = NULL, upper = NULL, periodic = NULL, priors = NULL,
                     noisy = FALSE, normals = 0, correlated = 0, on_error = c("stop", "reject"),
                     until = NULL, max_draws = NULL, max_evaluations = NULL, max_minutes = NULL,
                     check = c("auto", "free", "full", "off"), pool = TRUE,
                     keep_warmup = FALSE, keep_jumps = TRUE, cores = NULL, folder = NULL,
                     progress = interactive()) {
  if (missing(log_density)) refuse("log_density", "is missing: give a function, or another log density")
  check_count(normals, "normals", least = 0)
  about <- function_name(substitute(log_density))
  model <- model_of(log_density, check_flag(noisy, "noisy"), normals, about)
  wrapper <- wrapper_of(model, log_density, list(...), check_choice(on_error, c("stop", "reject"), "on_error"))
  if (!identical(check_number(correlated, "correlated"), 0) && normals == 0) {
    refuse("correlated", "needs a function of standard normals: set normals to their number")
  }
  known <- parameters_of(model, start, names, lower, upper, periodic, priors)
  seed <- if (is.null(seed)) sample.int(.Machine$integer.max, 1) else check_seed(seed)
  settings <- list(
    start = starts_of(start, known$names),
    model = model$settings,
    parameters = known$table,
    sampler = sampler_of(sampler),
    run = list(
      chains = check_count(chains, "chains"),
      draws = check_count(draws, "draws"),
      warmup = warmup_of(warmup),
      "max-warmup" = check_count(max_warmup, "max_warmup"),
      thin = check_count(thin, "thin"),
      seed = seed,
      threads = check_count(cores, "cores"),
      correlation = correlated,
      pool = check_flag(pool, "pool"),
      until = check_text(until, "until"),
      "max-draws" = check_count(max_draws, "max_draws"),
      "max-evaluations" = check_count(max_evaluations, "max_evaluations"),
      "max-minutes" = check_number(max_minutes, "max_minutes"),
      check = check_choice(check, c("auto", "free", "full", "off"), "check")
    ),
    output = list(
      "keep-warmup" = check_flag(keep_warmup, "keep_warmup"),
      "keep-jumps" = check_flag(keep_jumps, "keep_jumps")
    )
  )
  request <- list(settings = settings, folder = path_of(folder), `function` = is.function(wrapper$call))
  run(request, wrapper, known$shown, progress)
}

# What a function is called in the result: by its name, if it has one.
function_name <- function(expression) {
  if (is.symbol(expression)) paste("the R function", as.character(expression)) else "a function of R"
}

# The section `sampler`: a name, a text such as "KAMH-LS:n=500", or list("KAMH-LS", n = 500).
sampler_of <- function(sampler) {
  if (is.character(sampler) && length(sampler) == 1 && !is.na(sampler)) {
    return(sampler)
  }
  given <- names(sampler)
  if (is.list(sampler) && length(sampler) > 0) {
    first <- if (is.null(given)) 1 else which(given %in% c("", "name"))
    if (length(first) == 1 && is.character(sampler[[first]]) && (length(sampler) == 1 || !is.null(given))) {
      return(c(list(name = sampler[[first]]), run_file_keys(sampler[-first])))
    }
  }
  refuse("sampler", 'must be a name such as "KAMH-LS", or a list such as list("KAMH-LS", n = 500)', sampler)
}

# The names of settings as run files have them.
run_file_keys <- function(settings) {
  names(settings) <- gsub("_", "-", names(settings), fixed = TRUE)
  settings
}

warmup_of <- function(warmup) {
  if (is.character(warmup) && length(warmup) == 1 && warmup %in% c("auto", "chains", "population")) {
    return(warmup)
  }
  if (is.null(warmup)) {
    return("auto")
  }
  if (!is.numeric(warmup)) {
    refuse("warmup", 'must be a number of iterations, "auto", "chains" or "population"', warmup)
  }
  check_count(warmup, "warmup", least = 0)
}

path_of <- function(folder) {
  folder <- check_text(folder, "folder")
  if (is.null(folder)) NULL else path.expand(folder)
}
