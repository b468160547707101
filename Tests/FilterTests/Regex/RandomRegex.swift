import ProxydTestSupport

/// A random pattern that Python, Perl and we read alike.
struct RandomRegex {
    let text: String
    let groupCount: Int

    /// - Parameter repeatsEmpty: Whether what may take nothing may be repeated. How long such a
    ///   loop goes on, and what its groups keep, engines do not agree about.
    init(depth: Int, repeatsEmpty: Bool, _ generator: inout SplitMix) {
        var builder = Builder(repeatsEmpty: repeatsEmpty)
        text = builder.sequence(depth: depth, &generator).text
        groupCount = builder.groupCount
    }

    private struct Part {
        var text: String
        var mayBeEmpty: Bool
    }

    private struct Builder {
        let repeatsEmpty: Bool
        var groupCount = 0

        init(repeatsEmpty: Bool) { self.repeatsEmpty = repeatsEmpty }

        private static let atoms = [
            "a", "b", "-", "é", "[ab]", "[^a]", "\\d", "\\D", "\\w", ".", "ab", "1",
        ]
        private static let assertions = ["^", "\\Z", "\\b", "\\B"]

        mutating func sequence(depth: Int, _ generator: inout SplitMix) -> Part {
            var whole = Part(text: "", mayBeEmpty: true)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let part = item(depth: depth, &generator)
                whole.text += part.text
                whole.mayBeEmpty = whole.mayBeEmpty && part.mayBeEmpty
            }
            return whole
        }

        private mutating func item(depth: Int, _ generator: inout SplitMix) -> Part {
            if Int.random(in: 0..<12, using: &generator) == 0 {
                return Part(text: Builder.assertions.pick(&generator), mayBeEmpty: true)
            }
            guard depth > 0, Bool.random(using: &generator) else {
                let atom = Part(text: "(?:\(Builder.atoms.pick(&generator)))", mayBeEmpty: false)
                return repeated(atom, &generator)
            }
            return repeated(group(depth: depth, &generator), &generator)
        }

        private mutating func group(depth: Int, _ generator: inout SplitMix) -> Part {
            let captures = Bool.random(using: &generator)
            if captures { groupCount += 1 }
            var inner = sequence(depth: depth - 1, &generator)
            while Int.random(in: 0..<3, using: &generator) == 0 {
                let other = sequence(depth: depth - 1, &generator)
                inner.text += "|" + other.text
                inner.mayBeEmpty = inner.mayBeEmpty || other.mayBeEmpty
            }
            return Part(
                text: (captures ? "(" : "(?:") + inner.text + ")", mayBeEmpty: inner.mayBeEmpty)
        }

        private mutating func repeated(_ part: Part, _ generator: inout SplitMix) -> Part {
            let quantifiers = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}"]
            guard Bool.random(using: &generator), repeatsEmpty || !part.mayBeEmpty else {
                return part
            }
            let quantifier = quantifiers.pick(&generator)
            let isLazy = Int.random(in: 0..<3, using: &generator) == 0
            return Part(
                text: part.text + quantifier + (isLazy ? "?" : ""),
                mayBeEmpty: part.mayBeEmpty || ["*", "?", "{0,2}"].contains(quantifier))
        }
    }
}
