/// Names of hosts in other alphabets, in the form in which clients send them (IDNA, RFC 5891 §4): a
/// label with such letters is `xn--` and its Punycode (RFC 3492).
enum InternationalName {
    /// The longest name that DNS has.
    private static let scalarCountMax = 253
    private static let labelByteCountMax = 63
    /// The dots that count as the one of ASCII (RFC 3490 §3.1).
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    /// Where letters are that may be written as a letter and a mark.
    private static let composed: [ClosedRange<UInt32>] = [
        0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0x3040...0x30FF,
    ]

    /// The name in ASCII; nil if it has no such form.
    static func ascii(_ name: String) -> String? {
        guard name.unicodeScalars.count <= scalarCountMax else { return nil }
        let scalars = name.lowercased().flatMap(scalars)
        let labels = scalars.split(omittingEmptySubsequences: false) { dots.contains($0) }
            .map { label($0) }
        guard labels.allSatisfy({ $0 != nil }) else { return nil }
        return labels.compactMap { $0 }.joined(separator: ".")
    }

    /// The scalars of a character, composed to one if there is such a letter (NFC).
    private static func scalars(_ character: Character) -> [Unicode.Scalar] {
        let written = Array(character.unicodeScalars)
        guard written.count > 1 else { return written }
        // Characters are equal whichever way they are written.
        for case let scalar? in composed.joined().lazy.map(Unicode.Scalar.init)
        where Character(scalar) == character {
            return [scalar]
        }
        return written
    }

    private static func label(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        guard !scalars.allSatisfy(\.isASCII) else { return text }
        guard let code = punycode(Array(scalars)), code.utf8.count + 4 <= labelByteCountMax else {
            return nil
        }
        return "xn--" + code
    }

    // MARK: Punycode (RFC 3492 §5, §6)

    private static let base = 36
    private static let (smallestThreshold, largestThreshold) = (1, 26)
    private static let (skew, damp, firstBias, firstCode) = (38, 700, 72, 128)

    /// - Parameter scalars: At most as many as a name has, so that no number overflows.
    private static func punycode(_ scalars: [Unicode.Scalar]) -> String? {
        let codes = scalars.map { Int($0.value) }
        var output = codes.filter { $0 < firstCode }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (firstCode, 0, firstBias, basicCount)
        while handled < codes.count {
            guard let next = codes.filter({ $0 >= code }).min() else { return nil }
            delta += (next - code) * (handled + 1)
            code = next
            for other in codes {
                if other < code { delta += 1 }
                guard other == code else { continue }
                write(delta, bias, into: &output)
                bias = adapt(delta, handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func write(_ delta: Int, _ bias: Int, into output: inout [UInt8]) {
        var (rest, position) = (delta, base)
        while true {
            let threshold = min(max(position - bias, smallestThreshold), largestThreshold)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapt(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - smallestThreshold) * largestThreshold / 2 {
            delta /= base - smallestThreshold
            steps += base
        }
        return steps + (base - smallestThreshold + 1) * delta / (delta + skew)
    }
}
