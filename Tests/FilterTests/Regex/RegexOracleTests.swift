import ProxydTestSupport
import Testing

@testable import ProxydFilter

@Suite struct RegexOracleTests {
    private struct Trial {
        let regex: RandomRegex
        let text: String
        let timesMax: Int?

        init(_ generator: inout SplitMix) {
            regex = RandomRegex(depth: 3, repeatsEmpty: false, &generator)
            let alphabet = ["a", "b", "-", "é", "1", "a", "b"]
            // Until 3.14 Python finds no \B in an empty text.
            let length = Int.random(in: 1...9, using: &generator)
            text = (0..<length).map { _ in alphabet.pick(&generator) }.joined()
            timesMax = [nil, nil, 1, 2].pick(&generator)
        }

        /// Ours, and Python's.
        var template: String { "<" + parts.map { "${\($0)}" }.joined(separator: ",") + ">" }
        var python: PythonSubstitution {
            PythonSubstitution(
                pattern: regex.text,
                template: "<" + parts.map { "\\g<\($0)>" }.joined(separator: ",") + ">",
                text: text, count: timesMax ?? 0)
        }

        private var parts: [Int] { Array(0...regex.groupCount) }
    }

    @Test(.enabled(if: PythonSubstitution.interpreter != nil, "python3 is not there"))
    func `random regex replacements give the same result as in Python`() throws {
        var generator = SplitMix(seed: 20_26)
        let trials = (0..<1_500).map { _ in Trial(&generator) }
        let expected = try PythonSubstitution.results(of: trials.map(\.python))
        #expect(expected.count == trials.count)
        for (trial, expected) in zip(trials, expected) {
            let replacement = try RegexReplacement(
                pattern: trial.regex.text, template: trial.template, isForBodies: false)
            let outcome = replacement.outcome(Array(trial.text.utf8), timesMax: trial.timesMax)
            let found: (text: String, count: Int)
            switch outcome {
            case .changed(let bytes, let count, let places):
                found = (String(decoding: bytes, as: UTF8.self), count)
                #expect(places.count == count)
            case .unchanged: found = (trial.text, 0)
            case .tooLarge: found = ("too large", 0)
            }
            #expect(
                found == (expected.text, expected.count),
                "\(trial.regex.text) on \(trial.text): \(expected.text)")
        }
    }

    @Test func `a regex replacement finds a match if and only if the regex search does`() throws {
        var generator = SplitMix(seed: 7)
        for _ in 0..<600 {
            let regex = RandomRegex(depth: 3, repeatsEmpty: true, &generator)
            let isForBodies = Bool.random(using: &generator)
            let replacement = try RegexReplacement(
                pattern: regex.text, template: "", isForBodies: isForBodies)
            let search = try LinearRegex(regex.text, ignoresCase: false, isForBodies: isForBodies)
            let text = (0..<6).map { _ in Array("ab-1".utf8).pick(&generator) }
            let isFound = replacement.outcome(text) != .unchanged
            #expect(isFound == search.matches(text.span), "\(regex.text) on \(text)")
            #expect(isFound == replacement.matches(text.span), "\(regex.text) on \(text)")
        }
    }

    @Test
    func `replacing regex matches with themselves keeps all bytes, and no character is split`()
        throws
    {
        var generator = SplitMix(seed: 9)
        let pieces: [[UInt8]] = [
            [0x61], [0x62], [0x31], [0x0A], Array("é".utf8), Array("😀".utf8), [0xC3], [0xA9],
            [0xF0, 0x9F], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xFF],
        ]
        for _ in 0..<300 {
            let regex = RandomRegex(depth: 2, repeatsEmpty: true, &generator)
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).flatMap { _ in pieces.pick(&generator) }
            let same = try RegexReplacement(
                pattern: regex.text, template: "$0", isForBodies: true)
            #expect(same.replaced(text) ?? text == text, "\(regex.text) on \(text)")
            let gone = try RegexReplacement(
                pattern: regex.text, template: "|", isForBodies: true)
            let valid = Array(String(decoding: text, as: UTF8.self).utf8)
            let rest = gone.replaced(valid) ?? valid
            #expect(String(validating: rest, as: UTF8.self) != nil, "\(regex.text) on \(valid)")
        }
    }
}
