/// Takes a moment off a text, from the left.
struct RFC3339Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// All of the text as nanoseconds since 1970; nil where it is no moment, or out of reach.
    mutating func nanoseconds() -> Int64? {
        guard let date = date(), skip("Tt "), let hour = number(2), skip(":"),
            let minute = number(2), hour < 24, minute < 60
        else { return nil }
        let hasSeconds = skip(":")
        let second = hasSeconds ? number(2) : 0
        guard let second, second <= 60 else { return nil }
        let fraction = hasSeconds && skip(".,") ? fraction() : 0
        guard let fraction, let offset = offset(), isAtEnd else { return nil }
        let time = CivilTime(date, hour: hour, minute: minute, second: second - offset)
        return Nanoseconds.of(seconds: time.secondsSinceEpoch, rest: fraction)
    }

    private var isAtEnd: Bool { position == bytes.count }

    private mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"),
            let day = number(2)
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        return date.isValid ? date : nil
    }

    private mutating func number(_ count: Int) -> Int64? {
        guard position + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<(position + count)] {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int64(byte &- 0x30)
        }
        position += count
        return value
    }

    /// Passes over one of some characters; false where there is none.
    private mutating func skip(_ characters: String) -> Bool {
        guard position < bytes.count, characters.utf8.contains(bytes[position]) else {
            return false
        }
        position += 1
        return true
    }

    /// The digits of a fraction of a second, as nanoseconds; nil where there is none.
    private mutating func fraction() -> Int64? {
        let start = position
        var (value, scale) = (Int64(0), Nanoseconds.perSecond / 10)
        while position < bytes.count, bytes[position] &- 0x30 < 10 {
            value += Int64(bytes[position] &- 0x30) * scale
            scale /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    /// `Z`, `+hh:mm` or `+hhmm` as seconds to the east; nothing means UTC.
    private mutating func offset() -> Int64? {
        if isAtEnd || skip("Zz") { return 0 }
        let isWest = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
