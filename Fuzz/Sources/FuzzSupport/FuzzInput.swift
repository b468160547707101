/// One input of a fuzzer: the first bytes choose how the rest is used, so that everything that
/// happens follows from the input and a finding can be repeated.
public struct FuzzInput {
    /// What was not taken yet.
    public private(set) var rest: ArraySlice<UInt8>

    /// The bytes that libFuzzer hands over.
    public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        rest = Array(UnsafeBufferPointer(start: start, count: count))[...]
    }

    /// The next byte; zero at the end.
    public mutating func choice() -> UInt8 { rest.popFirst() ?? 0 }

    /// What lies before the next line feed, which is taken too, or all there is.
    public mutating func line() -> [UInt8] {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest.dropFirst(line.count + 1)
        return Array(line)
    }

    /// All there is, as text; what is no UTF-8 is replaced.
    public func text() -> String { String(decoding: rest, as: UTF8.self) }
}
