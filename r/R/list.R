# Everything that can be chosen by name, from the registry of the library.

kameleon_list <- function() {
  registry <- .Call("wrap__registry", PACKAGE = "kameleon")
  describe <- function(entries) {
    text <- function(key) vapply(entries, function(entry) if (is.null(entry[[key]])) "" else entry[[key]], "")
    settings <- vapply(entries, function(entry) {
      paste(gsub("-", "_", vapply(entry$settings, function(one) one$key, ""), fixed = TRUE), collapse = ", ")
    }, "")
    data.frame(name = text("name"), about = text("about"), settings = settings, stringsAsFactors = FALSE)
  }
  found <- lapply(registry[c("targets", "posteriors", "samplers", "kernels")], describe)
  prior <- function(entry) paste0(entry$name, "(", paste(entry$parameters, collapse = ", "), ")")
  found$priors <- data.frame(
    prior = vapply(registry$priors, prior, ""), about = vapply(registry$priors, function(entry) entry$about, ""),
    stringsAsFactors = FALSE
  )
  structure(found, class = "kameleon_list")
}

print.kameleon_list <- function(x, ...) {
  for (kind in names(x)) {
    cat(kind, ":\n", sep = "")
    lines <- x[[kind]]
    settings <- if (is.null(lines$settings)) "" else ifelse(lines$settings == "", "", paste0(" [", lines$settings, "]"))
    cat(strwrap(paste0(lines[[1]], ": ", lines$about, settings), indent = 2, exdent = 6), sep = "\n")
  }
  invisible(x)
}
