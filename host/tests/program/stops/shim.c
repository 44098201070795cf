/* Stops a program at its n-th operation on files below one directory: as SIGKILL would, with a full disk from then on, or
 * with a power failure, after which only what was synced is left. Loaded with LD_PRELOAD.
 *
 * RETAP_STOP_ROOT    the directory
 * RETAP_STOP_AT      n, from 1; 0 only counts
 * RETAP_STOP_HOW     kill, full or power
 * RETAP_STOP_COUNT   file for the number of operations, written at the end
 * RETAP_STOP_SHADOW  for power: a directory for copies of synced files
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static pthread_mutex_t guard = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX], shadow[PATH_MAX / 2];
static long stop_at, count, backups;
static int is_full, is_power, full_mode, ready;
/* True while the shim itself works on files. */
static __thread int inside;

enum undo_kind { CREATED, RENAMED, REMOVED, DIRECTORY_MADE };
struct undo {
  enum undo_kind kind;
  char path[PATH_MAX], other[PATH_MAX];
  char backup[PATH_MAX];
};
static struct undo *undos;
static size_t undo_count;

static void prepare(void) {
  if (ready) return;
  ready = 1;
  const char *text = getenv("RETAP_STOP_ROOT");
  if (text && realpath(text, root) == NULL) root[0] = 0;
  text = getenv("RETAP_STOP_AT");
  stop_at = text ? atol(text) : 0;
  text = getenv("RETAP_STOP_HOW");
  full_mode = text && strcmp(text, "full") == 0;
  is_power = text && strcmp(text, "power") == 0;
  text = getenv("RETAP_STOP_SHADOW");
  if (text) snprintf(shadow, sizeof shadow, "%s", text);
}

/* Absolute path of a name; false if it is not below the root. */
static int path_of(int directory, const char *name, char *out) {
  prepare();
  if (inside || !root[0] || !name) return 0;
  char base[PATH_MAX];
  if (name[0] == '/') {
    snprintf(out, PATH_MAX, "%s", name);
  } else {
    if (directory == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
      ssize_t length = readlink(link, base, sizeof base - 1);
      if (length < 0) return 0;
      base[length] = 0;
    }
    if (snprintf(out, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
  }
  size_t length = strlen(root);
  return strncmp(out, root, length) == 0 && (out[length] == '/' || !out[length]);
}

static int path_of_file(int file, char *out) {
  prepare();
  if (inside || !root[0]) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  size_t whole = strlen(root);
  return strncmp(out, root, whole) == 0 && (out[whole] == '/' || !out[whole]);
}

static void copy(const char *from, const char *to) {
  int in = REAL(int, "open64", const char *, int, ...)(from, O_RDONLY);
  if (in < 0) return;
  int out = REAL(int, "open64", const char *, int, ...)(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char bytes[65536];
  ssize_t length;
  while (out >= 0 && (length = read(in, bytes, sizeof bytes)) > 0)
    if (REAL(ssize_t, "write", int, const void *, size_t)(out, bytes, (size_t)length) != length) abort();
  close(in);
  if (out >= 0) close(out);
}

static void shadow_name(const char *path, char *out) {
  struct stat found;
  out[0] = 0;
  if (stat(path, &found) == 0 && S_ISREG(found.st_mode))
    snprintf(out, PATH_MAX, "%s/%llu", shadow, (unsigned long long)found.st_ino);
}

/* Keeps what the file has now as what the disk has. */
static void keep_durable(const char *path, int only_if_unknown) {
  char name[PATH_MAX];
  shadow_name(path, name);
  if (!name[0] || (only_if_unknown && access(name, F_OK) == 0)) return;
  copy(path, name);
}

static void note_undo(enum undo_kind kind, const char *path, const char *other, int has_backup) {
  undos = realloc(undos, (undo_count + 1) * sizeof *undos);
  struct undo *undo = &undos[undo_count];
  memset(undo, 0, sizeof *undo);
  undo->kind = kind;
  snprintf(undo->path, PATH_MAX, "%s", path);
  if (other) snprintf(undo->other, PATH_MAX, "%s", other);
  const char *lost = other ? other : path;
  if (has_backup && access(lost, F_OK) == 0) {
    /* A hard link: it follows what becomes of the file's content. */
    snprintf(undo->backup, PATH_MAX, "%s/undo-%ld", shadow, backups++);
    if (link(lost, undo->backup) != 0) abort();
  }
  undo_count++;
}

static void forget_undos_in(const char *directory) {
  size_t kept = 0, length = strlen(directory);
  for (size_t i = 0; i < undo_count; i++) {
    const char *path = undos[i].kind == RENAMED ? undos[i].other : undos[i].path;
    const char *last = strrchr(path, '/');
    int is_in = (size_t)(last - path) == length && strncmp(path, directory, length) == 0;
    if (is_in) {
      if (undos[i].backup[0]) REAL(int, "unlink", const char *)(undos[i].backup);
    } else {
      undos[kept++] = undos[i];
    }
  }
  undo_count = kept;
}

/* Removes a directory whose own entry never reached the disk, and all in it. */
static void remove_all(const char *directory) {
  DIR *entries = opendir(directory);
  struct dirent *entry;
  while (entries && (entry = readdir(entries))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    char path[PATH_MAX];
    if (snprintf(path, PATH_MAX, "%s/%s", directory, entry->d_name) >= PATH_MAX) continue;
    if (REAL(int, "unlink", const char *)(path) != 0) remove_all(path);
  }
  if (entries) closedir(entries);
  REAL(int, "rmdir", const char *)(directory);
}

static void restore_contents(const char *directory) {
  DIR *entries = opendir(directory);
  struct dirent *entry;
  while (entries && (entry = readdir(entries))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    char path[PATH_MAX], name[PATH_MAX];
    if (snprintf(path, PATH_MAX, "%s/%s", directory, entry->d_name) >= PATH_MAX) continue;
    struct stat found;
    if (lstat(path, &found) != 0) continue;
    if (S_ISDIR(found.st_mode)) {
      restore_contents(path);
    } else if (S_ISREG(found.st_mode)) {
      snprintf(name, PATH_MAX, "%s/%llu", shadow, (unsigned long long)found.st_ino);
      size_t length = strlen(path);
      if (length > 4 && !strcmp(path + length - 4, "-shm"))
        REAL(int, "unlink", const char *)(path);
      else if (access(name, F_OK) == 0)
        copy(name, path);
    }
  }
  if (entries) closedir(entries);
}

static void fail_power(void) {
  for (size_t i = undo_count; i-- > 0;) {
    struct undo *undo = &undos[i];
    switch (undo->kind) {
      case CREATED: REAL(int, "unlink", const char *)(undo->path); break;
      case DIRECTORY_MADE: remove_all(undo->path); break;
      case RENAMED:
        REAL(int, "rename", const char *, const char *)(undo->other, undo->path);
        if (undo->backup[0]) REAL(int, "rename", const char *, const char *)(undo->backup, undo->other);
        break;
      case REMOVED:
        if (undo->backup[0]) REAL(int, "rename", const char *, const char *)(undo->backup, undo->path);
        break;
    }
  }
  restore_contents(root);
}

/* Counts an operation. Returns true if it must fail because the disk is full. */
static int is_stopped(int needs_space) {
  count++;
  if (stop_at && count == stop_at && !full_mode) {
    inside = 1;
    if (is_power) fail_power();
    syscall(SYS_exit_group, 99);
  }
  if (stop_at && count >= stop_at && full_mode) is_full = 1;
  if (is_full && needs_space) {
    errno = ENOSPC;
    return 1;
  }
  return 0;
}

__attribute__((destructor)) static void write_count(void) {
  const char *name = getenv("RETAP_STOP_COUNT");
  if (!name) return;
  inside = 1;
  FILE *file = fopen(name, "w");
  if (file) {
    fprintf(file, "%ld\n", count);
    fclose(file);
  }
}

#define ENTER() pthread_mutex_lock(&guard)
#define LEAVE(value)              \
  do {                            \
    int error = errno;            \
    pthread_mutex_unlock(&guard); \
    errno = error;                \
    return value;                 \
  } while (0)

static void before_change(const char *path) {
  if (!is_power) return;
  inside = 1;
  keep_durable(path, 1);
  inside = 0;
}

#define ON_FILE(file, needs_space, call) \
  char path[PATH_MAX];                   \
  ENTER();                               \
  if (path_of_file(file, path)) {        \
    before_change(path);                 \
    if (is_stopped(needs_space)) LEAVE(-1); \
  }                                      \
  LEAVE(call)

ssize_t write(int file, const void *bytes, size_t length) {
  ON_FILE(file, 1, (REAL(ssize_t, "write", int, const void *, size_t)(file, bytes, length)));
}
ssize_t writev(int file, const struct iovec *parts, int number) {
  ON_FILE(file, 1, (REAL(ssize_t, "writev", int, const struct iovec *, int)(file, parts, number)));
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  ON_FILE(file, 1, (REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(file, bytes, length, at)));
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  ON_FILE(file, 1, (REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(file, bytes, length, at)));
}
int ftruncate64(int file, off64_t length) {
  ON_FILE(file, 0, (REAL(int, "ftruncate64", int, off64_t)(file, length)));
}
int ftruncate(int file, off_t length) {
  ON_FILE(file, 0, (REAL(int, "ftruncate64", int, off64_t)(file, length)));
}

static int sync_file(int file, const char *name) {
  char path[PATH_MAX];
  ENTER();
  int is_ours = path_of_file(file, path);
  if (is_ours && is_stopped(0)) LEAVE(-1);
  int result = REAL(int, name, int)(file);
  if (is_ours && is_power && result == 0) {
    inside = 1;
    struct stat found;
    if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode))
      forget_undos_in(path);
    else
      keep_durable(path, 0);
    inside = 0;
  }
  LEAVE(result);
}
int fsync(int file) { return sync_file(file, "fsync"); }
int fdatasync(int file) { return sync_file(file, "fdatasync"); }

static int open_at(int directory, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  ENTER();
  int (*real)(int, const char *, int, ...) = REAL(int, "openat64", int, const char *, int, ...);
  int creates = (flags & O_CREAT) && path_of(directory, name, path) && access(path, F_OK) != 0;
  if (creates && is_stopped(1)) LEAVE(-1);
  int file = real(directory, name, flags, mode);
  if (creates && is_power && file >= 0) {
    inside = 1;
    note_undo(CREATED, path, NULL, 0);
    keep_durable(path, 0);
    inside = 0;
  }
  LEAVE(file);
}

#define MODE()                              \
  mode_t mode = 0;                          \
  if (flags & (O_CREAT | __O_TMPFILE)) {    \
    va_list rest;                           \
    va_start(rest, flags);                  \
    mode = va_arg(rest, mode_t);            \
    va_end(rest);                           \
  }
int open64(const char *name, int flags, ...) {
  MODE();
  return open_at(AT_FDCWD, name, flags, mode);
}
int open(const char *name, int flags, ...) {
  MODE();
  return open_at(AT_FDCWD, name, flags, mode);
}
int openat64(int directory, const char *name, int flags, ...) {
  MODE();
  return open_at(directory, name, flags, mode);
}
int openat(int directory, const char *name, int flags, ...) {
  MODE();
  return open_at(directory, name, flags, mode);
}

int mkdir(const char *name, mode_t mode) {
  char path[PATH_MAX];
  ENTER();
  int is_ours = path_of(AT_FDCWD, name, path) && access(path, F_OK) != 0;
  if (is_ours && is_stopped(1)) LEAVE(-1);
  int result = REAL(int, "mkdir", const char *, mode_t)(name, mode);
  if (is_ours && is_power && result == 0) note_undo(DIRECTORY_MADE, path, NULL, 0);
  LEAVE(result);
}
int rename(const char *from, const char *to) {
  char path[PATH_MAX], other[PATH_MAX];
  ENTER();
  int is_ours = path_of(AT_FDCWD, from, path) && path_of(AT_FDCWD, to, other);
  if (is_ours && is_stopped(0)) LEAVE(-1);
  if (is_ours && is_power) {
    inside = 1;
    note_undo(RENAMED, path, other, 1);
    inside = 0;
  }
  LEAVE((REAL(int, "rename", const char *, const char *)(from, to)));
}
static int remove_at(int directory, const char *name, int flags) {
  char path[PATH_MAX];
  ENTER();
  int is_ours = path_of(directory, name, path) && access(path, F_OK) == 0;
  if (is_ours && is_stopped(0)) LEAVE(-1);
  if (is_ours && is_power && !(flags & AT_REMOVEDIR)) {
    inside = 1;
    note_undo(REMOVED, path, NULL, 1);
    inside = 0;
  }
  LEAVE((REAL(int, "unlinkat", int, const char *, int)(directory, name, flags)));
}
int unlink(const char *name) { return remove_at(AT_FDCWD, name, 0); }
int unlinkat(int directory, const char *name, int flags) { return remove_at(directory, name, flags); }
int rmdir(const char *name) { return remove_at(AT_FDCWD, name, AT_REMOVEDIR); }
