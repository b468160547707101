/// Quoting for a POSIX shell (POSIX 2008, Shell Command Language §2.2.2).
public enum ShellWord {
    /// The text as one word that a shell hands on unchanged, whatever is in it: within single
    /// quotes nothing has a meaning, and a single quote itself is written outside of them.
    public static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    /// Octets as one word that a shell hands on unchanged. What is not plain text is written as
    /// `"$(printf …)"`, so that the command itself stays printable UTF-8. NUL cannot be in a word
    /// of any program: the caller keeps it out.
    public static func quoted(_ octets: [UInt8]) -> String {
        if let text = plainText(octets) { return quoted(text) }
        // A substitution loses the line feeds at its end: they are written behind it.
        let kept = octets.prefix(octets.count - octets.reversed().prefix { $0 == 0x0A }.count)
        let lineFeeds = String(repeating: "\n", count: octets.count - kept.count)
        let substitution = "\"$(printf '\(printfFormat(kept))')\""
        return lineFeeds.isEmpty ? substitution : substitution + "'\(lineFeeds)'"
    }

    /// The octets as text, where that is safe to show and to paste: UTF-8 whose only controls are
    /// line feed and tab. Others would act on a terminal, and a shell could not hold NUL.
    public static func plainText(_ octets: [UInt8]) -> String? {
        guard let text = String(validating: octets, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0..<0x20, 0x7F..<0xA0: false
            default: true
            }
        }
        return isPlain ? text : nil
    }

    /// A format that makes `printf` of any POSIX shell write the octets: letters and a few others
    /// as they are, the rest as three octal digits. It stands within single quotes.
    public static func printfFormat(_ octets: some Collection<UInt8>) -> String {
        var format: [UInt8] = []
        format.reserveCapacity(octets.count * 2)
        for octet in octets {
            // A format may not begin with a minus sign: it would be an option.
            if isLiteral(octet) && !(format.isEmpty && octet == UInt8(ascii: "-")) {
                format.append(octet)
            } else {
                format.append(UInt8(ascii: "\\"))
                format.append(0x30 &+ (octet &>> 6))
                format.append(0x30 &+ ((octet &>> 3) & 7))
                format.append(0x30 &+ (octet & 7))
            }
        }
        return String(decoding: format, as: UTF8.self)
    }

    /// Whether an octet means itself to `printf` and within single quotes.
    private static func isLiteral(_ octet: UInt8) -> Bool {
        (0x20..<0x7F).contains(octet) && octet != UInt8(ascii: "'")
            && octet != UInt8(ascii: "%") && octet != UInt8(ascii: "\\")
    }
}
