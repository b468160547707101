internal import ProxydCNcurses
internal import Glibc

/// What terminfo knows of the terminal.
enum TerminalDescription {
    /// A capability's octets; nil where the terminal lacks it.
    static func string(_ name: String) -> [UInt8]? {
        // Some signatures want a mutable string.
        guard let value = name.withCString({ tigetstr(UnsafeMutablePointer(mutating: $0)) }),
            UInt(bitPattern: value) != UInt.max
        else { return nil }
        // Padding such as $<5> is for terminals of wire.
        let text = String(cString: value).replacing(/\$<[0-9.*\/]*>/, with: "")
        return Array(text.utf8)
    }

    /// A number; 0 where the terminal has none.
    static func number(_ name: String) -> Int {
        let value = name.withCString { tigetnum(UnsafeMutablePointer(mutating: $0)) }
        return max(0, Int(value))
    }

    /// Its keys, those that begin with ESC.
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
            if let octets = string(name), octets.first == 0x1B, octets.count > 2 {
                keys[octets] = key
            }
        }
        return keys
    }
}
