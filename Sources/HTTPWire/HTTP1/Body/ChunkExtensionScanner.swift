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
    mutating func take(_ octet: UInt8) -> Bool {
        endsInSpace = octet == 0x20 || octet == 0x09
        switch state {
        case .quoted: return takeQuoted(octet)
        case .escaped:
            state = .quoted
            return !OctetClass.isForbiddenInText(octet)
        case .name, .token: return takeToken(octet)
        case .beforeName, .beforeValue: return takeFirst(octet)
        case .beforeSemicolon, .afterName: return takeBetween(octet)
        }
    }

    private mutating func takeQuoted(_ octet: UInt8) -> Bool {
        if octet == UInt8(ascii: "\"") {
            state = .beforeSemicolon
        } else if octet == UInt8(ascii: "\\") {
            state = .escaped
        }
        return !OctetClass.isForbiddenInText(octet)
    }

    private mutating func takeToken(_ octet: UInt8) -> Bool {
        if OctetClass.isToken(octet) { return true }
        state = state == .name ? .afterName : .beforeSemicolon
        return takeBetween(octet)
    }

    private mutating func takeFirst(_ octet: UInt8) -> Bool {
        if endsInSpace { return true }
        if state == .beforeValue && octet == UInt8(ascii: "\"") {
            state = .quoted
            return true
        }
        state = state == .beforeName ? .name : .token
        return OctetClass.isToken(octet)
    }

    private mutating func takeBetween(_ octet: UInt8) -> Bool {
        if endsInSpace { return true }
        if octet == UInt8(ascii: ";") {
            state = .beforeName
            return true
        }
        guard state == .afterName, octet == UInt8(ascii: "=") else { return false }
        state = .beforeValue
        return true
    }
}
