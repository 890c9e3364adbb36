#include "textflag.h"

// func blockMasks(b *[64]byte, m *masks)
//
// 16 bytes at a time, with what every amd64 has (SSE2): bytes are compared with the one that is looked for, PMOVMSKB makes a
// bit of each, and four times 16 bits are put together.
TEXT ·blockMasks(SB), NOSPLIT, $0-16
	MOVQ b+0(FP), SI
	MOVQ m+8(FP), DI

	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3

	// Control characters are the bytes that are the lesser one of themselves and 0x1f.
	MOVQ $0x1f1f1f1f1f1f1f1f, AX
	MOVQ AX, X8
	PUNPCKLQDQ X8, X8
	MOVO X0, X4
	PMINUB X8, X4
	PCMPEQB X0, X4
	MOVO X1, X5
	PMINUB X8, X5
	PCMPEQB X1, X5
	MOVO X2, X6
	PMINUB X8, X6
	PCMPEQB X2, X6
	MOVO X3, X7
	PMINUB X8, X7
	PCMPEQB X3, X7
	POR X5, X4
	POR X7, X6
	POR X6, X4
	PMOVMSKB X4, AX
	MOVQ AX, 16(DI)

	MOVQ $0x2222222222222222, AX // "
	MOVQ AX, X8
	PUNPCKLQDQ X8, X8
	MOVO X0, X4
	PCMPEQB X8, X4
	PMOVMSKB X4, AX
	MOVO X1, X5
	PCMPEQB X8, X5
	PMOVMSKB X5, BX
	MOVO X2, X6
	PCMPEQB X8, X6
	PMOVMSKB X6, CX
	MOVO X3, X7
	PCMPEQB X8, X7
	PMOVMSKB X7, DX
	SHLQ $16, BX
	SHLQ $32, CX
	SHLQ $48, DX
	ORQ BX, AX
	ORQ DX, CX
	ORQ CX, AX
	MOVQ AX, 0(DI)

	MOVQ $0x5c5c5c5c5c5c5c5c, AX // \
	MOVQ AX, X8
	PUNPCKLQDQ X8, X8
	PCMPEQB X8, X0
	PMOVMSKB X0, AX
	PCMPEQB X8, X1
	PMOVMSKB X1, BX
	PCMPEQB X8, X2
	PMOVMSKB X2, CX
	PCMPEQB X8, X3
	PMOVMSKB X3, DX
	SHLQ $16, BX
	SHLQ $32, CX
	SHLQ $48, DX
	ORQ BX, AX
	ORQ DX, CX
	ORQ CX, AX
	MOVQ AX, 8(DI)
	RET
