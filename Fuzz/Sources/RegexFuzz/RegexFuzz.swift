internal import ProxydFilter
internal import FuzzSupport

/// Regular expressions of filters: none is too much for the parser, and searching takes time in
/// proportion to the text. The input's first line is the expression, the rest the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let pattern = String(decoding: input.line(), as: UTF8.self)
    let text = Array(input.rest)
    for field in ["body", "path"] {
        guard let filter = filter(field, pattern) else { continue }
        let short = Subject(repeating: text, byteCount: 2 << 10)
        let shortNs = nanoseconds { _ = filter.matches(short) }
        // What is quick needs no second look.
        guard shortNs > 5_000_000 else { continue }
        let long = Subject(repeating: text, byteCount: 16 << 10)
        let longNs = nanoseconds { _ = filter.matches(long) }
        // In proportion it is eight times as long, in square 64 times.
        let allowedNs = max(32 * shortNs, 1_000_000_000)
        require(longNs < allowedNs, "\(shortNs) ns become \(longNs) ns: \(pattern)")
    }
    return 0
}

private func filter(_ field: String, _ pattern: String) -> Filter? {
    var quoted = ""
    for scalar in pattern.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
        quoted.unicodeScalars.append(scalar)
    }
    return try? Filter.parse("\(field)~\"\(quoted)\"", now: 0)
}
