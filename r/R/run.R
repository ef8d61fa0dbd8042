# Runs: handed to Rust, watched, and their results, warnings and errors.

# What the last run that failed, or was interrupted, had drawn.
kept <- new.env(parent = emptyenv())

run <- function(request, wrapper, names, progress) {
  watcher <- watcher_of(progress)
  request$progress <- !is.null(watcher)
  ran <- call_rust(request, wrapper, names, watcher)
  finish(ran, request$folder, wrapper)
}

# The result, with the condition that ended the run if one did.
call_rust <- function(request, wrapper, names, watcher) {
  if (isTRUE(wrapper$seeded)) {
    # Seeds of single calls leave the generator of the session as it was.
    seed <- get0(".Random.seed", globalenv(), inherits = FALSE)
    on.exit(if (is.null(seed)) rm_seed() else assign(".Random.seed", seed, globalenv()))
  }
  place <- new.env(parent = emptyenv())
  note <- function(e) place$message <- conditionMessage(e)
  caught <- tryCatch(
    withCallingHandlers(
      .Call("kameleon_run", request, wrapper$call, names, watcher$tell, place, PACKAGE = "kameleon"),
      error = note
    ),
    error = identity, interrupt = identity
  )
  if (!is.null(watcher)) watcher$close()
  list(result = place$result, caught = caught)
}

rm_seed <- function() {
  if (exists(".Random.seed", globalenv(), inherits = FALSE)) rm(".Random.seed", envir = globalenv())
}

finish <- function(ran, folder, wrapper) {
  found <- ran$result
  if (is.null(found)) stop(ran$caught)
  if (inherits(found, "kameleon_refusal")) {
    if (inherits(ran$caught, "interrupt")) abort("interrupted before anything was drawn", class = "kameleon_interrupt")
    raise(found, parent = ran$caught)
  }
  result <- new_kameleon(found, folder)
  if (result$ending %in% c("failed", "stopped")) kept$last <- result
  if (result$ending == "failed") {
    abort(paste0(result$reason, what_is_left(result)), result = result, parent = ran$caught, class = "kameleon_target_error")
  }
  warn_of(result, wrapper)
  result
}

# Where the draws of a run that failed are.
what_is_left <- function(result) {
  draws <- posterior::ndraws(result$draws)
  left <- if (draws == 0) "No draws had been made." else paste0("The ", draws, " draws that had been made are in last_run().")
  again <- if (!is.null(result$folder)) paste0(" resume(\"", result$folder, "\", log_density) continues.")
  paste0("\n", left, again)
}

# An error for what Rust refused.
raise <- function(refusal, ...) {
  message <- if (is.null(refusal$argument)) refusal$what else paste0("`", refusal$argument, "`: ", refusal$what)
  abort(message, argument = refusal$argument, ...)
}

# What Rust answered, or an error.
accept <- function(answer) {
  if (inherits(answer, "kameleon_refusal")) raise(answer)
  answer
}

warn_of <- function(result, wrapper) {
  warn <- function(text) {
    warning(structure(list(message = text, call = NULL), class = c("kameleon_warning", "warning", "condition")))
  }
  if (isTRUE(wrapper$failures$count > 0)) {
    count <- wrapper$failures$count
    warn(paste0("log_density failed at ", count, " points, which were rejected; the first error: ", wrapper$failures$first))
  }
  for (text in result$warnings) warn(text)
  judged <- result$ending %in% c("complete", "limited") && is.null(result$verdict$goal)
  if (judged && !result$verdict$converged) warn(paste(c("not converged:", result$verdict$messages), collapse = " "))
}

# How progress is told: not at all, in a line that changes, by messages where nobody is at the terminal, or to a function.
watcher_of <- function(progress) {
  if (is.function(progress)) {
    return(list(tell = function(line) progress(line), close = function() NULL))
  }
  if (!check_flag(progress, "progress")) {
    return(NULL)
  }
  if (interactive()) line_watcher() else message_watcher()
}

line_watcher <- function() {
  width <- 0
  show <- function(line) {
    cat("\r", formatC(line, width = -width), sep = "", file = stderr())
    width <<- max(width, nchar(line))
  }
  list(tell = show, close = function() if (width > 0) cat("\r", strrep(" ", width), "\r", sep = "", file = stderr()))
}

message_watcher <- function(every = 10) {
  told <- proc.time()[["elapsed"]]
  tell <- function(line) {
    now <- proc.time()[["elapsed"]]
    if (now - told >= every) {
      told <<- now
      message(line)
    }
  }
  list(tell = tell, close = function() NULL)
}
