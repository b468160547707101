public import ProxydCaptureModel
internal import ProxydHTTPModel

/// What a message says, on one line for a person.
public enum MessageText {
    /// Its text; bytes that are no text in hexadecimal. Not made safe for a terminal.
    public static func line(of message: MessageRow, byteCountMax: Int) -> String {
        let octets = message.octets.prefix(byteCountMax)
        switch message.kind {
        case .close where octets.count >= 2:
            let code = Int(octets[octets.startIndex]) << 8 | Int(octets[octets.startIndex + 1])
            return "\(code) " + String(decoding: octets.dropFirst(2), as: UTF8.self)
        default:
            // The end may have been cut within a character.
            for cut in 0...3 {
                let text = String(validating: octets.dropLast(cut), as: UTF8.self)
                if let text, cut == 0 || octets.count < message.byteCount { return text }
            }
            return octets.prefix(64).map { octet in
                (octet < 16 ? "0" : "") + String(octet, radix: 16)
            }.joined(separator: " ")
        }
    }
}
