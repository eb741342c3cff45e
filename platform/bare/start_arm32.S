// SPDX-License-Identifier: Apache-2.0
// EmberSM: from reset to main() on a 32-bit ARM processor (ARMv7-A) that starts in supervisor mode,
// with translation and data cache off and the image in memory, none of it only in a cache (DESIGN.md,
// "What is there at the start").
//
// Aborts and undefined instructions are reported on a stack of their own, so that a program which
// ran out of its stack can still say so.

    .arch   armv7ve
    .fpu    neon-vfpv4
    .arm
    .section .text.start, "ax"
    .global _start
_start:
    // One processor does everything; the others sleep.
    mrc     p15, 0, r0, c0, c0, 5
    tst     r0, #0xff
    bne     park

    // After a reset caches may hold anything, and what they hold counts as soon as they are on. All
    // that we write until then goes past them. So they are emptied, by set and way, each level up to
    // the point of coherency; nothing is written back. (ARM ARM, B2.2.6.)
    mrc     p15, 1, r0, c0, c0, 1       // CLIDR
    ubfx    r3, r0, #24, #3             // The level of coherency,
    lsls    r3, r3, #1                  // as CSSELR counts.
    mov     r10, #0
    beq     9f
5:  add     r2, r10, r10, lsr #1
    lsr     r1, r0, r2
    and     r1, r1, #7
    cmp     r1, #2
    blo     8f                          // No data there.
    mcr     p15, 2, r10, c0, c0, 0      // CSSELR
    isb
    mrc     p15, 1, r1, c0, c0, 0       // CCSIDR
    and     r2, r1, #7
    add     r2, r2, #4                  // Where the set's number stands,
    ubfx    r4, r1, #3, #10             // the last way,
    ubfx    r7, r1, #13, #15            // the last set.
    clz     r5, r4                      // Where the way's number stands.
6:  mov     r9, r4
7:  lsl     r6, r9, r5
    orr     r11, r10, r6
    orr     r11, r11, r7, lsl r2
    mcr     p15, 0, r11, c7, c6, 2      // DCISW
    subs    r9, r9, #1
    bge     7b
    subs    r7, r7, #1
    bge     6b
8:  add     r10, r10, #2
    cmp     r10, r3
    blo     5b
9:  mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 0       // No instruction,
    mcr     p15, 0, r0, c7, c5, 6       // no branch.
    dsb
    isb

    ldr     r0, =emergency_stack_end
    cps     #0x17                       // Abort.
    mov     sp, r0
    cps     #0x1b                       // Undefined instruction.
    mov     sp, r0
    cps     #0x12                       // Interrupts, which nobody enables.
    mov     sp, r0
    cps     #0x13                       // Supervisor: the program.
    ldr     sp, =__stack_end
    ldr     r0, =vectors
    mcr     p15, 0, r0, c12, c0, 0

    // Floating point registers: compilers copy with them.
    mrc     p15, 0, r0, c1, c0, 2
    orr     r0, r0, #(0xf << 20)
    mcr     p15, 0, r0, c1, c0, 2
    isb
    mov     r0, #0x40000000
    vmsr    fpexc, r0

    ldr     r0, =__bss_begin
    ldr     r1, =__bss_end
    mov     r2, #0
0:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     0b

    // Paint the stack, to see afterwards how deep it went (stack.h: kPaint).
    ldr     r0, =__stack_begin
    ldr     r1, =__stack_end
    ldr     r2, =0xA5A5A5A5
1:  str     r2, [r0], #4
    cmp     r0, r1
    blo     1b

    bl      ember_map_memory
    // Returned: the table in r0, cached and shareable. All of it by TTBR0; every domain a client.
    orr     r0, r0, #((1 << 1) | (1 << 3) | (1 << 6))
    mcr     p15, 0, r0, c2, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c2, c0, 2
    mov     r0, #1
    mcr     p15, 0, r0, c3, c0, 0
    mov     r0, #0
    mcr     p15, 0, r0, c8, c7, 0       // No translation is remembered,
    mcr     p15, 0, r0, c7, c5, 0       // no instruction,
    mcr     p15, 0, r0, c7, c5, 6       // no branch.
    dsb
    isb
    // Translation (0), data cache (2), branch prediction (11), instruction cache (12), memory that
    // can be written is not executed (19). Alignment of data is not checked: the memory is normal.
    mrc     p15, 0, r0, c1, c0, 0
    ldr     r1, =((1 << 0) | (1 << 2) | (1 << 11) | (1 << 12) | (1 << 19))
    orr     r0, r0, r1
    bic     r0, r0, #(1 << 1)
    mcr     p15, 0, r0, c1, c0, 0
    isb

    ldr     r4, =__init_array_begin
    ldr     r5, =__init_array_end
2:  cmp     r4, r5
    bhs     3f
    ldr     r0, [r4], #4
    blx     r0
    b       2b
3:  bl      main
    bl      ember_exit
park:
    wfe
    b       park

    .balign 32
vectors:
    b       park                        // Reset.
    b       undefined
    b       supervisor
    b       prefetch
    b       data
    b       park
    b       interrupt
    b       interrupt

    // Each tells its number, what happened (a fault status), where and the address.
undefined:
    sub     r2, lr, #4
    mov     r0, #1
    mov     r1, #0
    mov     r3, #0
    b       report
supervisor:
    sub     r2, lr, #4
    mov     r0, #2
    mov     r1, #0
    mov     r3, #0
    b       report
prefetch:
    sub     r2, lr, #4
    mov     r0, #3
    mrc     p15, 0, r1, c5, c0, 1
    mrc     p15, 0, r3, c6, c0, 2
    b       report
data:
    sub     r2, lr, #8
    mov     r0, #4
    mrc     p15, 0, r1, c5, c0, 0
    mrc     p15, 0, r3, c6, c0, 0
    b       report
interrupt:
    sub     r2, lr, #4
    mov     r0, #6
    mov     r1, #0
    mov     r3, #0
report:
    mrs     r12, spsr
    and     r12, r12, #0x1f
    cmp     r12, #0x13                  // Not from the program but from a report: nothing can be said
    bne     nested                      // any more. See exit.h, Ending::kTrap.
    bl      ember_trap
    b       park
nested:
    mov     r0, #0x20
    adr     r1, 4f
    svc     #0x123456
    b       park
4:  .word   0x20026, 71

    .section .bss.emergency, "aw", %nobits
    .balign 16
    .skip   4096
emergency_stack_end:
    .section .note.GNU-stack, "", %progbits
