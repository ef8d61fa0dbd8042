# The result of a run: an object of class kameleon, with its summary and how they are printed.

new_kameleon <- function(found, folder = NULL) {
  shape <- function(stacked) {
    at <- c(stacked$iterations, stacked$chains, length(found$names))
    dimnames <- list(iteration = as.character(seq_len(at[1])), chain = as.character(seq_len(at[2])), variable = found$names)
    posterior::as_draws_array(array(stacked$points, dim = at, dimnames = dimnames))
  }
  matrix_of <- function(stacked) matrix(stacked$log_density, stacked$iterations, stacked$chains)
  table <- as.data.frame(found$summary, stringsAsFactors = FALSE)
  result <- list(
    draws = shape(found$draws), log_density = matrix_of(found$draws), summary = table, verdict = found$verdict,
    evidence = found$evidence, warnings = found$warnings, statistics = found$statistics, modes = modes_of(found), caution = found$caution,
    learned = found$learned, ending = found$ending, complete = found$ending == "complete", reason = found$reason,
    target = found$target, sampler = found$sampler, seed = found$seed, warmup = found$warmup, thin = found$thin,
    noisy = found$noisy, settings = found$settings, folder = folder, weighted = found$weighted
  )
  if (found$warmup_draws$iterations > 0) result$warmup_draws <- shape(found$warmup_draws)
  structure(result, class = "kameleon")
}

# The modes that a population found, the heaviest first, as a data frame; NULL where none was looked for.
modes_of <- function(found) {
  if (length(found$modes) == 0) {
    return(NULL)
  }
  places <- do.call(rbind, lapply(found$modes, function(mode) mode$where))
  colnames(places) <- found$names
  weights <- vapply(found$modes, function(mode) if (is.null(mode$weight)) NA_real_ else mode$weight, 0)
  data.frame(weight = weights, places, check.names = FALSE)
}

summary.kameleon <- function(object, ...) {
  structure(object$summary, class = c("summary.kameleon", "data.frame"), verdict = object$verdict, evidence = object$evidence)
}

# Parts of a summary are plain data frames: the verdict is about the whole.
`[.summary.kameleon` <- function(x, ...) {
  class(x) <- "data.frame"
  attr(x, "verdict") <- attr(x, "evidence") <- NULL
  x[...]
}

print.summary.kameleon <- function(x, digits = 3, ...) {
  table <- x
  attr(table, "verdict") <- attr(table, "evidence") <- NULL
  class(table) <- "data.frame"
  numbers <- vapply(table, is.numeric, TRUE)
  sizes <- intersect(c("ess_bulk", "ess_tail"), names(table))
  table[sizes] <- lapply(table[sizes], round)
  if ("rhat" %in% names(table)) table$rhat <- formatC(table$rhat, digits = 3, format = "f")
  rest <- setdiff(names(table)[numbers], c(sizes, "rhat"))
  table[rest] <- lapply(table[rest], function(column) formatC(column, digits = digits, format = "g", flag = "#"))
  print(table, row.names = FALSE, right = TRUE)
  verdict <- attr(x, "verdict")
  if (!is.null(verdict)) cat("\n", strwrapped(verdict$text), sep = "")
  evidence <- attr(x, "evidence")
  if (!is.null(evidence)) cat(strwrapped(paste(evidence$name, evidence$text)), sep = "")
  invisible(x)
}

# Text in lines that fit the console, each with its end.
strwrapped <- function(text) {
  lines <- unlist(strsplit(text, "\n", fixed = TRUE))
  paste0(unlist(lapply(lines, function(line) if (nzchar(line)) strwrap(line, exdent = 2) else NULL)), "\n", collapse = "")
}

print.kameleon <- function(x, ...) {
  size <- dim(x$draws)
  cat(strwrapped(sprintf(
    "%s on %s: %d chains of %s draws after %s iterations of warm-up, seed %.0f", x$sampler, x$target, size[2],
    format(size[1], big.mark = ","), format(x$warmup, big.mark = ","), x$seed
  )), "\n", sep = "")
  if (size[1] > 0) print(summary(x), ...) else cat("There are no draws yet: the run has not come to the end of its warm-up.\n")
  if (!is.null(x$modes) && nrow(x$modes) > 1) {
    cat("modes by weight:\n")
    print(x$modes, row.names = FALSE, digits = 3)
  }
  if (!is.null(x$caution)) cat(strwrapped(x$caution), sep = "")
  for (text in x$warnings) cat(strwrapped(paste("warning:", text)), sep = "")
  invisible(x)
}
