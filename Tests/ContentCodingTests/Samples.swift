import Foundation

/// One text in every coding, as the usual compressors make it.
enum Samples {
    static let text = Array(
        (String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20) + "äöü")
            .utf8
    )

    static let gzip = bytes(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qpja",
        "ig8vObzt8B4AN6J/LYoDAAA="
    )
    static let zlib = bytes(
        "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKqY2ooPLzm87fAe",
        "AOmSR3s="
    )
    static let rawDeflate = bytes(
        "C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqmNqKDy85vO3wHgA="
    )
    static let brotli = bytes(
        "G4kDiKyOdxizlZHdDiPvkdbDVGhlk9SWN8nM2BrEZS5vg5zh6amwN9iAA4cE8gcbwW/QaYXTPjxOlKbgCCfi",
        "Pg0eZA=="
    )
    static let zstd = bytes(
        "KLUv/QRo5QEANANUaGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9nLiDDpMO2w7wB",
        "AKUKK1UGU+FmMQ=="
    )
    /// gzip in brotli in zstd.
    static let stacked = bytes(
        "KLUv/QRooQIAiyeAH4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTk",
        "p+sphIwqHlU8qpjaig8vObzt8B4AN6J/LYoDAAADHyANOg=="
    )

    static func bytes(_ base64: String...) -> [UInt8] {
        Array(Data(base64Encoded: base64.joined()) ?? Data())
    }
}
