# What is sampled: built-in targets, expressions, programs, libraries and servers, and functions of R.

kameleon_target <- function(name, ...) {
  settings <- list(...)
  if (!(is.character(name) && length(name) == 1)) refuse("name", 'must be a name, such as "banana"', name)
  if (length(settings) > 0 && (is.null(names(settings)) || any(names(settings) == ""))) {
    refuse("...", 'settings of a target need names, such as kameleon_target("banana", b = 0.1)')
  }
  settings <- run_file_keys(settings)
  plain <- if (length(settings) == 0) name else c(list(name = name), settings)
  model_object("target", list(target = plain), paste0("the target ", name))
}

kameleon_expression <- function(text) {
  if (!(is.character(text) && length(text) == 1)) refuse("text", "must be one text, such as \"-x^2/2\"", text)
  model_object("expression", list("log-density" = text), text)
}

kameleon_program <- function(command, noisy = FALSE, timeout = NULL, attempts = NULL, failures = NULL, working_folder = NULL) {
  if (!is.character(command) || length(command) == 0) refuse("command", "must be a program and its arguments", command)
  settings <- list(
    program = as.list(unname(command)), noisy = noise_of(noisy), timeout = timeout, attempts = attempts,
    failures = failures, folder = working_folder
  )
  model_object("program", settings, paste(command, collapse = " "))
}

kameleon_library <- function(path, symbol = NULL, config = NULL, noisy = FALSE) {
  settings <- list(library = check_text(path, "path"), symbol = symbol, config = config, noisy = noise_of(noisy))
  model_object("library", settings, path)
}

kameleon_server <- function(url, model = NULL, config = NULL, noisy = FALSE, timeout = NULL, retries = NULL, failures = NULL) {
  settings <- list(
    url = check_text(url, "url"), model = model, config = config, noisy = noise_of(noisy), timeout = timeout,
    retries = retries, failures = failures
  )
  model_object("server", settings, url)
}

model_object <- function(kind, settings, about) {
  structure(list(kind = kind, settings = settings, about = about), class = "kameleon_model")
}

# The setting `noisy` of a model outside R: TRUE, FALSE, "own", "seed", or a number of standard normals.
noise_of <- function(noisy) {
  if (is.numeric(noisy)) list(normals = check_count(noisy, "noisy")) else noisy
}

print.kameleon_model <- function(x, ...) {
  cat("A log density for kameleon(): ", x$about, " (", x$kind, ")\n", sep = "")
  invisible(x)
}

# The model that the argument `log_density` describes.
model_of <- function(log_density, noisy, normals, about) {
  if (inherits(log_density, "kameleon_model")) {
    if (noisy || normals > 0) {
      refuse("noisy", "is for functions; other log densities say it themselves, as in kameleon_program(..., noisy = TRUE)")
    }
    return(log_density)
  }
  if (is.function(log_density)) {
    given <- if (normals > 0) list(normals = normals) else if (noisy) "seed" else FALSE
    return(model_object("function", list(external = about, noisy = given), about))
  }
  if (is.character(log_density) && length(log_density) == 1 && !is.na(log_density)) {
    if (grepl("://", log_density, fixed = TRUE)) {
      return(kameleon_server(log_density))
    }
    return(kameleon_expression(log_density))
  }
  what <- paste(
    "must be a function, an expression as text, or one of kameleon_target(), kameleon_program(), kameleon_library()",
    "and kameleon_server()"
  )
  refuse("log_density", what, log_density)
}

# How a function is called: with further arguments, with a seed or with normals, and with errors that are rejections.
wrapper_of <- function(model, log_density, more, on_error) {
  if (model$kind != "function") {
    if (length(more) > 0) {
      shown <- if (is.null(names(more))) rep("", length(more)) else names(more)
      shown <- paste0("`", shown, "`", collapse = ", ")
      refuse("...", paste0("there is no argument ", shown, ", and only a function takes further ones"))
    }
    return(list(call = NULL))
  }
  check_arguments(log_density, more)
  noisy <- model$settings$noisy
  called <- log_density
  if (length(more) > 0) called <- with_arguments(log_density, more, second = is.list(noisy))
  failures <- new.env(parent = emptyenv())
  failures$count <- 0
  if (on_error == "reject") called <- rejecting(called, failures)
  if (identical(noisy, "seed")) called <- seeded(called)
  list(call = called, failures = failures, seeded = identical(noisy, "seed"))
}

# A function of the point alone, or of the point and normals, with the further arguments fixed.
with_arguments <- function(log_density, more, second) {
  places <- lapply(seq_along(more), function(i) call("[[", quote(more), i))
  names(places) <- names(more)
  first <- if (second) list(quote(x), quote(normals)) else list(quote(x))
  made <- if (second) function(x, normals) NULL else function(x) NULL
  body(made) <- as.call(c(quote(log_density), first, places))
  made
}

# Refuses names that neither kameleon() nor the function knows.
check_arguments <- function(log_density, more) {
  taken <- names(formals(args(log_density)))
  given <- names(more)
  unknown <- setdiff(given[given != ""], taken)
  if (length(unknown) > 0 && !("..." %in% taken)) {
    refuse("...", paste0("`", unknown[1], "` is neither an argument of kameleon() nor of log_density"))
  }
}

# The function with its random numbers determined by a seed.
seeded <- function(called) {
  force(called)
  function(x, seed) {
    set.seed(seed)
    called(x)
  }
}

# The function with NA in place of errors, which are counted.
rejecting <- function(called, failures) {
  force(called)
  function(...) {
    tryCatch(called(...), error = function(e) {
      failures$count <- failures$count + 1
      if (is.null(failures$first)) failures$first <- conditionMessage(e)
      NA_real_
    })
  }
}
