/** The character codes of the hexadecimal digits. */
export const HEX_DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
