/// Quoting for a POSIX shell (POSIX 2008, Shell Command Language §2.2.2).
public enum ShellWord {
    /// Returns a text as one word that a shell passes on unchanged, whatever it contains: within
    /// single quotes no character is special, and a single quote itself is written outside of them.
    public static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    /// Returns bytes as one word that a shell passes on unchanged. Anything but plain text is
    /// written as `"$(printf …)"`, so that the command itself stays printable UTF-8. A program
    /// argument cannot contain NUL, so the caller must not pass one.
    public static func quoted(_ bytes: [UInt8]) -> String {
        if let text = plainText(bytes) { return quoted(text) }
        // A command substitution drops line feeds at the end, so they are appended after it.
        let kept = bytes.prefix(bytes.count - bytes.reversed().prefix { $0 == 0x0A }.count)
        let lineFeeds = String(repeating: "\n", count: bytes.count - kept.count)
        let substitution = "\"$(printf '\(printfFormat(kept))')\""
        return lineFeeds.isEmpty ? substitution : substitution + "'\(lineFeeds)'"
    }

    /// Returns the bytes as text if it is safe to show and to paste: UTF-8 whose only control
    /// characters are line feed and tab. Others would affect a terminal, and a shell cannot hold
    /// NUL.
    public static func plainText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0..<0x20, 0x7F..<0xA0: false
            default: true
            }
        }
        return isPlain ? text : nil
    }

    /// Returns a format with which `printf` of any POSIX shell writes the bytes: letters and a few
    /// other characters as they are, the rest as three octal digits. It must be placed within
    /// single quotes.
    public static func printfFormat(_ bytes: some Collection<UInt8>) -> String {
        var format: [UInt8] = []
        format.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            // A format must not start with a minus sign, or it would be an option.
            if isLiteral(byte) && !(format.isEmpty && byte == UInt8(ascii: "-")) {
                format.append(byte)
            } else {
                format.append(UInt8(ascii: "\\"))
                format.append(0x30 &+ (byte &>> 6))
                format.append(0x30 &+ ((byte &>> 3) & 7))
                format.append(0x30 &+ (byte & 7))
            }
        }
        return String(decoding: format, as: UTF8.self)
    }

    /// Whether a byte is literal both to `printf` and within single quotes.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "'")
            && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\\")
    }
}
