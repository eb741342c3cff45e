// SPDX-License-Identifier: Apache-2.0
// EmberSM: from reset to main() on a 64-bit ARM processor that starts in EL1, with translation and
// data cache off and the image in memory, none of it only in a cache (DESIGN.md, "What is there at
// the start").
//
// Two stacks: SP_EL0 for the program, SP_EL1 for the report of a trap, so that a program which ran
// out of its stack can still say so.

    .section .text.start, "ax"
    .global _start
_start:
    // One processor does everything; the others sleep.
    mrs     x0, mpidr_el1
    tst     x0, #0xff
    b.ne    park

    // After a reset caches may hold anything, and what they hold counts as soon as they are on. All
    // that we write until then goes past them. So they are emptied, by set and way, each level up to
    // the point of coherency; nothing is written back. (ARM ARM, D7.5.6.)
    mrs     x0, clidr_el1
    ubfx    w3, w0, #24, #3             // The level of coherency,
    lsl     w3, w3, #1                  // as CSSELR counts.
    mov     w10, #0
    cbz     w3, 9f
5:  add     w2, w10, w10, lsr #1
    lsr     w1, w0, w2
    and     w1, w1, #7
    cmp     w1, #2
    b.lo    8f                          // No data there.
    msr     csselr_el1, x10
    isb
    mrs     x1, ccsidr_el1
    and     w2, w1, #7
    add     w2, w2, #4                  // Where the set's number stands,
    mrs     x5, id_aa64mmfr2_el1
    ubfx    x5, x5, #20, #4
    ubfx    x4, x1, #3, #10             // the last way,
    ubfx    x7, x1, #13, #15            // the last set.
    cbz     x5, 6f
    ubfx    x4, x1, #3, #21             // The same in the long format.
    ubfx    x7, x1, #32, #24
6:  clz     w5, w4                      // Where the way's number stands.
    mov     w9, w4
7:  lsl     x6, x9, x5
    orr     x11, x10, x6
    lsl     x6, x7, x2
    orr     x11, x11, x6
    dc      isw, x11
    subs    w9, w9, #1
    b.ge    7b
    subs    w7, w7, #1
    b.ge    6b
8:  add     w10, w10, #2
    cmp     w10, w3
    b.lo    5b
9:  ic      iallu
    dsb     sy
    isb

    adrp    x0, emergency_stack_end
    add     x0, x0, :lo12:emergency_stack_end
    msr     spsel, #1
    mov     sp, x0
    msr     spsel, #0
    ldr     x0, =__stack_end
    mov     sp, x0
    ldr     x0, =vectors
    msr     vbar_el1, x0

    // Floating point registers: compilers copy with them.
    mov     x0, #(3 << 20)
    msr     cpacr_el1, x0
    isb

    ldr     x0, =__bss_begin
    ldr     x1, =__bss_end
0:  cmp     x0, x1
    b.hs    1f
    stp     xzr, xzr, [x0], #16
    b       0b

    // Paint the stack, to see afterwards how deep it went (stack.h: kPaint).
1:  ldr     x0, =__stack_begin
    ldr     x1, =__stack_end
    ldr     x2, =0xA5A5A5A5A5A5A5A5
2:  stp     x2, x2, [x0], #16
    cmp     x0, x1
    b.lo    2b

    bl      ember_map_memory
    // Returned: tables in x0. Attributes 0: device, 1: normal memory, written back.
    msr     ttbr0_el1, x0
    ldr     x0, =0xFF04
    msr     mair_el1, x0
    // 39 bits of address by TTBR0, 4 KiB granule, tables cached and inner shareable; no TTBR1.
    // Physical addresses of 32 bits.
    ldr     x0, =(25 | (1 << 8) | (1 << 10) | (3 << 12) | (1 << 23))
    msr     tcr_el1, x0
    tlbi    vmalle1
    ic      iallu
    dsb     sy
    isb
    // Translation (0), data cache (2), stack alignment (3, 4), instruction cache (12), memory that
    // can be written is not executed (19). Alignment of data is not checked: the memory is normal.
    mrs     x0, sctlr_el1
    ldr     x1, =((1 << 0) | (1 << 2) | (1 << 3) | (1 << 4) | (1 << 12) | (1 << 19))
    orr     x0, x0, x1
    bic     x0, x0, #(1 << 1)
    msr     sctlr_el1, x0
    isb

    ldr     x19, =__init_array_begin
    ldr     x20, =__init_array_end
3:  cmp     x19, x20
    b.hs    4f
    ldr     x0, [x19], #8
    blr     x0
    b       3b
4:  bl      main
    bl      ember_exit
park:
    wfe
    b       park

    // Each of the sixteen entries tells its number, what happened (ESR), where (ELR) and the address.
    .balign 2048
vectors:
    .set    number, 0
    .rept   16
    .balign 128
    .if     number == 4 || number == 7
    b       nested
    .endif
    mov     x0, #number
    mrs     x1, esr_el1
    mrs     x2, elr_el1
    mrs     x3, far_el1
    msr     spsel, #1
    bl      ember_trap
    b       park
    .set    number, number + 1
    .endr

    // A trap while one is reported: nothing can be said any more. See exit.h, Ending::kTrap.
nested:
    mov     x0, #0x20
    adr     x1, 5f
    hlt     #0xf000
    b       park
    .balign 8
5:  .quad   0x20026, 71

    .section .bss.emergency, "aw", %nobits
    .balign 16
    .skip   4096
emergency_stack_end:
    .section .note.GNU-stack, "", %progbits
