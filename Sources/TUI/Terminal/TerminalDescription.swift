internal import ProxydCNcurses
internal import Glibc

/// The terminal's capabilities from terminfo.
enum TerminalDescription {
    /// The bytes of a capability, or nil if the terminal lacks it.
    static func string(_ name: String) -> [UInt8]? {
        // The function is declared with a mutable string on some systems.
        guard let value = name.withCString({ tigetstr(UnsafeMutablePointer(mutating: $0)) }),
            UInt(bitPattern: value) != UInt.max
        else { return nil }
        // Padding such as $<5> is for hardware terminals.
        let text = String(cString: value).replacing(/\$<[0-9.*\/]*>/, with: "")
        return Array(text.utf8)
    }

    /// A numeric capability; 0 if the terminal lacks it.
    static func number(_ name: String) -> Int {
        let value = name.withCString { tigetnum(UnsafeMutablePointer(mutating: $0)) }
        return max(0, Int(value))
    }

    /// The keys whose sequences start with ESC.
    static func keys() -> [[UInt8]: Key] {
        let names: [(String, Key)] =
            [
                ("kcuu1", Key(.up)), ("kcud1", Key(.down)), ("kcub1", Key(.left)),
                ("kcuf1", Key(.right)), ("khome", Key(.home)), ("kend", Key(.end)),
                ("kpp", Key(.pageUp)), ("knp", Key(.pageDown)), ("kich1", Key(.insert)),
                ("kdch1", Key(.delete)), ("kcbt", .backtab),
            ] + (1...12).map { ("kf\($0)", Key(.function($0))) }
        var keys: [[UInt8]: Key] = [:]
        for (name, key) in names {
            if let bytes = string(name), bytes.first == 0x1B, bytes.count > 2 {
                keys[bytes] = key
            }
        }
        return keys
    }
}
