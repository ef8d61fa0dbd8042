# Checks of arguments, and the one way in which they are refused.

# An error about an argument; `given` is shown in a few words.
refuse <- function(argument, what, given) {
  text <- if (missing(given)) what else paste0(what, ", not ", in_words(given))
  abort(paste0("`", argument, "`: ", text), argument = argument)
}

# An error of this package, without the call that R would show.
abort <- function(message, ..., class = NULL) {
  stop(structure(list(message = message, call = NULL, ...), class = c(class, "kameleon_error", "error", "condition")))
}

# What a value is, for messages.
in_words <- function(given) {
  if (is.null(given)) {
    "NULL"
  } else if (is.data.frame(given)) {
    "a data frame"
  } else if (is.function(given)) {
    "a function"
  } else if (is.atomic(given) && length(given) == 1) {
    if (is.character(given)) paste0('"', given, '"') else format(given)
  } else {
    paste0("a ", class(given)[1], " of length ", length(given))
  }
}

# A whole number or NULL.
check_count <- function(given, argument, least = 1) {
  if (is.null(given)) {
    return(NULL)
  }
  is_one <- is.numeric(given) && !is.factor(given) && length(given) == 1 && is.finite(given)
  if (!is_one || given != round(given) || given < least || given > 2^53) {
    refuse(argument, paste("must be a whole number,", least, "or more"), given)
  }
  as.numeric(given)
}

check_seed <- function(given) check_count(given, "seed", least = 0)

# A number or NULL.
check_number <- function(given, argument) {
  if (!is.null(given) && !(is.numeric(given) && length(given) == 1 && is.finite(given))) {
    refuse(argument, "must be a number", given)
  }
  given
}

check_flag <- function(given, argument) {
  if (!(is.logical(given) && length(given) == 1 && !is.na(given))) refuse(argument, "must be TRUE or FALSE", given)
  given
}

# A text or NULL.
check_text <- function(given, argument) {
  if (!is.null(given) && !(is.character(given) && length(given) == 1 && !is.na(given))) {
    refuse(argument, "must be one text", given)
  }
  given
}

# One of a few words; the first of them by default.
check_choice <- function(given, choices, argument) {
  if (identical(given, choices)) {
    return(choices[1])
  }
  if (!(is.character(given) && length(given) == 1 && given %in% choices)) {
    refuse(argument, paste("must be one of", paste0('"', choices, '"', collapse = ", ")), given)
  }
  given
}
