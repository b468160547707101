package import ProxydHTTPModel

/// Stores HTTP/2 settings as a SETTINGS frame does, six bytes each (RFC 9113 §6.5.1).
package enum SettingsCoding {
    package static func encode(_ settings: [HTTP2ConnectionFacts.Setting]) -> [UInt8] {
        settings.flatMap { setting in
            [8, 0].map { UInt8(truncatingIfNeeded: setting.number >> $0) }
                + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: setting.value >> $0) }
        }
    }

    /// Decodes the settings; an incomplete one at the end is dropped.
    package static func decode(_ bytes: [UInt8]) -> [HTTP2ConnectionFacts.Setting] {
        stride(from: 0, to: bytes.count - bytes.count % 6, by: 6).map { place in
            HTTP2ConnectionFacts.Setting(
                number: bytes[place..<(place + 2)].reduce(0) { $0 << 8 | UInt16($1) },
                value: bytes[(place + 2)..<(place + 6)].reduce(0) { $0 << 8 | UInt32($1) })
        }
    }
}
