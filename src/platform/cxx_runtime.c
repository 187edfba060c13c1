#include "platform/cxx_runtime.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "platform/report.h"

/* A program without libdl goes without it. */
#pragma weak dlsym

extern hp_new_handler _ZSt15get_new_handlerv(void) HP_WEAK; /* std::get_new_handler() */
extern void _ZSt17__throw_bad_allocv(void) HP_WEAK;         /* std::__throw_bad_alloc() */
extern int __gxx_personality_v0(void) HP_WEAK;

/* What `throw std::bad_alloc()` is made of: static programs may lack std::__throw_bad_alloc(). */
extern void *__cxa_allocate_exception(size_t bytes) HP_WEAK;
extern void __cxa_throw(void *exception, void *type, void (*destructor)(void *)) HP_WEAK;
extern void _ZNSt9bad_allocD1Ev(void *exception) HP_WEAK; /* std::bad_alloc::~bad_alloc() */
extern char _ZTISt9bad_alloc[] HP_WEAK;                   /* typeinfo for std::bad_alloc */
extern char _ZTVSt9bad_alloc[] HP_WEAK;                   /* vtable for std::bad_alloc */

/* The Itanium ABI: an object's pointer to its vtable points behind offset-to-top and typeinfo. */
#define VTABLE_ADDRESS_POINT_BYTES 16u

/*
 * A function of a C++ runtime that was loaded after this library, NULL when there is none. dlopen is
 * looked up as well: a direct reference makes every fully static link warn of it.
 */
static void *find_late(const char *name)
{
    static const char *const runtimes[] = {"libstdc++.so.6", "libc++.so.1"};
    void *opener = dlsym != NULL ? dlsym(RTLD_DEFAULT, "dlopen") : NULL;
    if (opener == NULL) {
        return NULL;
    }
    void *(*open_library)(const char *, int) = (void *(*)(const char *, int))opener;
    for (unsigned index = 0; index < 2; index++) {
        void *runtime = open_library(runtimes[index], RTLD_LAZY | RTLD_NOLOAD);
        void *found = runtime != NULL ? dlsym(runtime, name) : NULL;
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

hp_new_handler hp_cxx_new_handler(void)
{
    hp_new_handler (*get)(void) = _ZSt15get_new_handlerv;
    if (get == NULL) {
        void *late = find_late("_ZSt15get_new_handlerv");
        get = (hp_new_handler(*)(void))late;
    }
    return get != NULL ? get() : NULL;
}

static void throw_by_parts(void)
{
    if (__cxa_allocate_exception == NULL || __cxa_throw == NULL || _ZNSt9bad_allocD1Ev == NULL) {
        return;
    }
    void **exception = __cxa_allocate_exception(sizeof(void *));
    *exception = _ZTVSt9bad_alloc + VTABLE_ADDRESS_POINT_BYTES;
    __cxa_throw(exception, _ZTISt9bad_alloc, _ZNSt9bad_allocD1Ev);
}

void hp_cxx_throw_bad_alloc(void)
{
    void (*throw)(void) = _ZSt17__throw_bad_allocv;
    if (throw == NULL) {
        throw_by_parts();
        void *late = find_late("_ZSt17__throw_bad_allocv");
        throw = (void (*)(void))late;
    }
    if (throw != NULL) {
        throw();
    }
    hp_message message;
    hp_message_begin(&message);
    hp_message_text(&message, "operator new: out of memory");
    hp_message_send(&message);
    abort();
}

bool hp_cxx_can_catch(void)
{
    return __gxx_personality_v0 != NULL;
}

/*
 * try { return call(bytes, align_bytes); } catch (...) { return NULL; }
 *
 * C can let an exception pass, and clean up, but not catch it. So this one function is written down as
 * a C++ compiler would: a call, a landing pad, and the table that tells the runtime's personality
 * routine that every exception from the call is caught there. Without a runtime the word that names
 * the routine is 0, and the unwinder takes this for a function that catches nothing.
 */
__asm__(".pushsection .text\n"
        ".globl hp_cxx_without_throwing\n"
        ".hidden hp_cxx_without_throwing\n"
        ".type hp_cxx_without_throwing, @function\n"
        ".balign 16\n"
        "hp_cxx_without_throwing:\n"
        ".cfi_startproc\n"
        ".cfi_personality 0x9b, .Lhp_personality\n" /* 4 bytes, relative, indirect */
        ".cfi_lsda 0x1b, .Lhp_table\n"              /* 4 bytes, relative */
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        ".Lhp_try:\n"
        "    call *%rdx\n"
        ".Lhp_tried:\n"
        ".Lhp_return:\n"
        "    addq $8, %rsp\n"
        "    .cfi_remember_state\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_restore_state\n"
        ".Lhp_caught:\n"
        "    movq %rax, %rdi\n"
        "    call __cxa_begin_catch@PLT\n"
        "    call __cxa_end_catch@PLT\n"
        "    xorl %eax, %eax\n"
        "    jmp .Lhp_return\n"
        ".cfi_endproc\n"
        ".size hp_cxx_without_throwing, . - hp_cxx_without_throwing\n"
        ".weak __cxa_begin_catch\n"
        ".weak __cxa_end_catch\n"
        ".weak __gxx_personality_v0\n"
        ".popsection\n"
        ".pushsection .data.rel.local, \"aw\"\n"
        ".balign 8\n"
        ".Lhp_personality: .quad __gxx_personality_v0\n"
        ".popsection\n"
        ".pushsection .gcc_except_table, \"a\"\n"
        ".balign 4\n"
        ".Lhp_table:\n"
        ".byte 0xff\n" /* landing pads count from the function's start */
        ".byte 0x9b\n" /* types: 4 bytes, relative, indirect */
        ".uleb128 .Lhp_types - .Lhp_sites\n"
        ".Lhp_sites:\n"
        ".byte 0x01\n" /* call sites in uleb128 */
        ".uleb128 .Lhp_actions - .Lhp_first_site\n"
        ".Lhp_first_site:\n"
        ".uleb128 .Lhp_try - hp_cxx_without_throwing\n"
        ".uleb128 .Lhp_tried - .Lhp_try\n"
        ".uleb128 .Lhp_caught - hp_cxx_without_throwing\n"
        ".uleb128 1\n" /* the first action */
        ".Lhp_actions:\n"
        ".byte 1, 0\n" /* type 1, and no further action */
        ".balign 4\n"
        ".long 0\n" /* type 1: every exception */
        ".Lhp_types:\n"
        ".popsection\n");
