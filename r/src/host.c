/* R as runs call it, and the one call by which R starts a run: here R's long jumps are caught, so that none crosses Rust.
 *
 * An error or Ctrl-C in the user's function makes R jump out of it. The jump is held back here, the run ends and saves what it
 * has, its result is handed to R, and only then does R go on with its jump, to the handler that it was on its way to. */
#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

enum { NUMBER = 0, ERROR = 1, NOT_A_NUMBER = 2, LEAVING = 3 };

/* What belongs to one run. */
struct host {
  SEXP function; /* the log density, or NULL */
  SEXP names;    /* of the parameters, or NULL */
  SEXP watcher;  /* is told the progress, or NULL */
  SEXP place;    /* an environment: R's handler leaves `message` there */
  SEXP token;    /* where R's jump is kept */
  int jumped;
  jmp_buf back;
  char said[8192];
};

/* A line for the watcher. */
struct news {
  struct host *host;
  const char *line;
};

/* One call of the log density. */
struct call {
  struct host *host;
  const double *x, *second;
  size_t dim, count;
  double value;
  int status;
};

void R_init_kameleon_extendr(void *dll);
SEXP kameleon_run_request(SEXP request, void *host);

static SEXP numbers(const double *from, size_t count) {
  SEXP vector = Rf_allocVector(REALSXP, (R_xlen_t)count);
  for (size_t i = 0; i < count; i++) REAL(vector)[i] = from[i];
  return vector;
}

/* The value as a number, if it is one: NA is NaN, which rejects a point. */
static int as_number(SEXP value, double *number) {
  if (Rf_xlength(value) != 1 || Rf_inherits(value, "factor")) return 0;
  switch (TYPEOF(value)) {
  case REALSXP: *number = REAL(value)[0]; return 1;
  case INTSXP: *number = INTEGER(value)[0] == NA_INTEGER ? R_NaN : INTEGER(value)[0]; return 1;
  case LGLSXP: *number = R_NaN; return LOGICAL(value)[0] == NA_LOGICAL;
  default: return 0;
  }
}

static void describe(SEXP value, char *said, size_t room) {
  const char *type = Rf_isFrame(value) ? "data frame" : Rf_inherits(value, "factor") ? "factor" : Rf_type2char(TYPEOF(value));
  if (value == R_NilValue) {
    snprintf(said, room, "NULL (is its last expression an assignment, a loop or an if without else?)");
  } else if (Rf_isNumeric(value) && !Rf_isLogical(value)) {
    snprintf(said, room, "%lld of them%s", (long long)Rf_xlength(value), Rf_xlength(value) > 1 ? " (sum them?)" : "");
  } else {
    snprintf(said, room, "a value of type %s and length %lld", type, (long long)Rf_xlength(value));
  }
}

static SEXP call_function(void *data) {
  struct call *call = data;
  struct host *host = call->host;
  SEXP x = PROTECT(numbers(call->x, call->dim));
  if (host->names != R_NilValue) Rf_setAttrib(x, R_NamesSymbol, host->names);
  SEXP second = PROTECT(call->count ? numbers(call->second, call->count) : R_NilValue);
  SEXP expression = PROTECT(call->count ? Rf_lang3(host->function, x, second) : Rf_lang2(host->function, x));
  SEXP value = PROTECT(Rf_eval(expression, R_GlobalEnv));
  if (!as_number(value, &call->value)) {
    call->status = NOT_A_NUMBER;
    describe(value, host->said, sizeof host->said);
  }
  UNPROTECT(4);
  return R_NilValue;
}

static SEXP ask(void *data) {
  struct news *news = data;
  R_CheckUserInterrupt();
  if (news->line != NULL) {
    SEXP line = PROTECT(Rf_mkString(news->line));
    SEXP expression = PROTECT(Rf_lang2(news->host->watcher, line));
    Rf_eval(expression, R_GlobalEnv);
    UNPROTECT(2);
  }
  return R_NilValue;
}

static void hold_back(void *data, Rboolean jump) {
  struct host *host = data;
  if (jump) longjmp(host->back, 1);
}

/* Does it; false if R jumped out of it. */
static int protected(struct host *host, SEXP (*work)(void *), void *data) {
  if (host->jumped) return 0;
  if (setjmp(host->back)) {
    host->jumped = 1;
    return 0;
  }
  R_UnwindProtect(work, data, hold_back, host, host->token);
  SETCAR(host->token, R_NilValue);
  return 1;
}

int kameleon_call(void *data, const double *x, size_t dim, const double *second, size_t count, double *value) {
  struct host *host = data;
  struct call call = {host, x, second, dim, count, R_NaN, NUMBER};
  int was_jumped = host->jumped;
  if (protected(host, call_function, &call)) {
    *value = call.value;
    return call.status;
  }
  SEXP message = Rf_findVarInFrame(host->place, Rf_install("message"));
  if (was_jumped || TYPEOF(message) != STRSXP || Rf_xlength(message) != 1) return LEAVING;
  snprintf(host->said, sizeof host->said, "%s", CHAR(STRING_ELT(message, 0)));
  return ERROR;
}

/* Lets R handle Ctrl-C, and tells its watcher a line if there is one; other than 0 if R jumped. */
int kameleon_tick(void *data, const char *line) {
  struct news news = {data, line};
  return !protected(data, ask, &news);
}

const char *kameleon_said(const void *data) { return ((const struct host *)data)->said; }

/* Runs, puts the result into the variable `result` of `place`, and lets R go where it wants to go. */
SEXP kameleon_run(SEXP request, SEXP function, SEXP names, SEXP watcher, SEXP place) {
  SEXP token = PROTECT(R_MakeUnwindCont());
  struct host *host = (struct host *)R_alloc(1, sizeof(struct host));
  *host = (struct host){.function = function, .names = names, .watcher = watcher, .place = place, .token = token};
  SEXP result = PROTECT(kameleon_run_request(request, host));
  Rf_defineVar(Rf_install("result"), result, place);
  if (host->jumped) R_ContinueUnwind(token);
  UNPROTECT(2);
  return R_NilValue;
}

void R_init_kameleon(DllInfo *dll) {
  R_init_kameleon_extendr(dll);
  R_useDynamicSymbols(dll, TRUE);
}
