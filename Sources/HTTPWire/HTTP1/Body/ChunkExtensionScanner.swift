/// The grammar of chunk extensions (RFC 9112 §7.1.1), which are checked and then ignored:
/// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`.
///
///     beforeSemicolon ─▶ beforeName ─▶ name ─▶ beforeValue ─▶ token ──┐
///          ▲                             └─(BWS)─▶ afterName           ├─▶ beforeSemicolon
///          └──────────────────────────────────────── quoted ⇄ escaped ─┘
struct ChunkExtensionScanner: Sendable {
    private enum State {
        case beforeSemicolon, beforeName, name, afterName, beforeValue, token, quoted, escaped
    }

    private var state = State.beforeSemicolon
    private var endsInSpace = false

    /// Whether the line may end here. White space is allowed before an extension, but not at the
    /// end; some servers pad chunk sizes with it nevertheless.
    func mayEnd(in role: MessageRole) -> Bool {
        switch state {
        case .name, .token: true
        case .beforeSemicolon, .afterName: role == .response || !endsInSpace
        case .beforeName, .beforeValue, .quoted, .escaped: false
        }
    }

    /// Takes the next byte; returns false if the grammar does not allow it here.
    mutating func take(_ byte: UInt8) -> Bool {
        endsInSpace = byte == 0x20 || byte == 0x09
        switch state {
        case .quoted: return takeQuoted(byte)
        case .escaped:
            state = .quoted
            return !ByteClass.isForbiddenInText(byte)
        case .name, .token: return takeToken(byte)
        case .beforeName, .beforeValue: return takeFirst(byte)
        case .beforeSemicolon, .afterName: return takeBetween(byte)
        }
    }

    private mutating func takeQuoted(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\"") {
            state = .beforeSemicolon
        } else if byte == UInt8(ascii: "\\") {
            state = .escaped
        }
        return !ByteClass.isForbiddenInText(byte)
    }

    private mutating func takeToken(_ byte: UInt8) -> Bool {
        if ByteClass.isToken(byte) { return true }
        state = state == .name ? .afterName : .beforeSemicolon
        return takeBetween(byte)
    }

    private mutating func takeFirst(_ byte: UInt8) -> Bool {
        if endsInSpace { return true }
        if state == .beforeValue && byte == UInt8(ascii: "\"") {
            state = .quoted
            return true
        }
        state = state == .beforeName ? .name : .token
        return ByteClass.isToken(byte)
    }

    private mutating func takeBetween(_ byte: UInt8) -> Bool {
        if endsInSpace { return true }
        if byte == UInt8(ascii: ";") {
            state = .beforeName
            return true
        }
        guard state == .afterName, byte == UInt8(ascii: "=") else { return false }
        state = .beforeValue
        return true
    }
}
