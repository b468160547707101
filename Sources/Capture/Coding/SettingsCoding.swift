internal import ProxydHTTPModel

/// How settings are stored: as in SETTINGS, six bytes each (RFC 9113 §6.5.1).
enum SettingsCoding {
    static func encode(_ settings: [HTTP2ConnectionFacts.Setting]) -> [UInt8] {
        settings.flatMap { setting in
            [8, 0].map { UInt8(truncatingIfNeeded: setting.number >> $0) }
                + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: setting.value >> $0) }
        }
    }

    /// What is cut off at the end is left out.
    static func decode(_ octets: [UInt8]) -> [HTTP2ConnectionFacts.Setting] {
        stride(from: 0, to: octets.count - octets.count % 6, by: 6).map { place in
            HTTP2ConnectionFacts.Setting(
                number: octets[place..<(place + 2)].reduce(0) { $0 << 8 | UInt16($1) },
                value: octets[(place + 2)..<(place + 6)].reduce(0) { $0 << 8 | UInt32($1) })
        }
    }
}
