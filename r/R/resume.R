# Runs in folders: resumed, loaded, and the last one that did not come to its end.

resume <- function(folder, log_density = NULL, ..., draws = NULL, max_minutes = NULL, cores = NULL, trust = FALSE,
                   on_error = c("stop", "reject"), progress = interactive()) {
  folder <- path_of(folder)
  settings <- accept(.Call("wrap__settings_of", folder, PACKAGE = "kameleon"))
  noisy <- settings$model$noisy
  names <- if (is.list(settings$parameters)) base::names(settings$parameters) else settings$parameters
  if (is.null(log_density)) {
    if (!is.null(settings$model$external)) refuse("log_density", "give the function again: only R can call it")
    wrapper <- list(call = NULL)
    if (length(list(...)) > 0) refuse("...", "further arguments are for a function")
  } else {
    what <- "must be the function that was sampled; other log densities are kept in the folder"
    if (!is.function(log_density)) refuse("log_density", what, log_density)
    on_error <- check_choice(on_error, c("stop", "reject"), "on_error")
    wrapper <- wrapper_of(model_object("function", list(noisy = noisy), ""), log_density, list(...), on_error)
  }
  request <- list(
    folder = folder, `function` = is.function(wrapper$call), draws = check_count(draws, "draws"),
    max_minutes = check_number(max_minutes, "max_minutes"), cores = check_count(cores, "cores"),
    trust = check_flag(trust, "trust")
  )
  run(request, wrapper, names, progress)
}

load_run <- function(folder) {
  folder <- path_of(folder)
  new_kameleon(accept(.Call("wrap__load", folder, PACKAGE = "kameleon")), folder)
}

last_run <- function() {
  if (is.null(kept$last)) abort("there is no run in this session that failed or was interrupted")
  kept$last
}
