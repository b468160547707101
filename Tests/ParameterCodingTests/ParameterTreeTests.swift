import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct ParameterTreeTests {
    private func view(
        _ text: String, limits: ParameterTreeLimits = ParameterTreeLimits(), dotsNest: Bool = true
    ) throws -> ParameterTree {
        let pairs = QueryDecoder().decode(Array(text.utf8))
        return try ParameterTree.view(of: pairs, limits: limits, dotsNest: dotsNest)
    }

    private func guess(_ kind: ParameterGuess.Kind, _ pair: Int = 0) -> ParameterGuess {
        ParameterGuess(kind: kind, pair: pair)
    }

    private func expect(
        _ text: String, _ parameter: Parameter, _ guesses: [ParameterGuess],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tree = try view(text)
        #expect(tree.parameter == parameter, sourceLocation: sourceLocation)
        #expect(tree.guesses == guesses, sourceLocation: sourceLocation)
    }

    @Test func `a query with plain names becomes a parameter tree without guessed nesting`() throws
    {
        try expect("", [:], [])
        try expect("a=1&b=&c&&=d", ["a": "1", "b": "", "c": nil, "": "d"], [])
        try expect("0=a&1=b", ["0": "a", "1": "b"], [])
        try expect("é=1&e\u{301}=2", ["é": "1", "e\u{301}": "2"], [])
    }

    @Test func `brackets and dots in query names become nested objects`() throws {
        try expect(
            "a[b][c]=1&a[d]=2", ["a": ["b": ["c": "1"], "d": "2"]],
            [guess(.nestedByBrackets), guess(.nestedByBrackets)])
        try expect(
            "a.b.c=1", ["a": ["b": ["c": "1"]]], [guess(.nestedByDots), guess(.nestedByDots)])
        try expect(
            "a[b].c=1", ["a": ["b": ["c": "1"]]],
            [guess(.nestedByBrackets), guess(.nestedByDots)])
        try expect("a[b.c]=1", ["a": ["b.c": "1"]], [guess(.nestedByBrackets)])
        let flat = try view("a.b=1&.c=2", dotsNest: false)
        #expect(flat.parameter == ["a.b": "1", ".c": "2"] && flat.guesses.isEmpty)
    }

    @Test func `query names with empty brackets or indices become arrays`() throws {
        try expect("x=0&a[]=1&a[]=2", ["x": "0", "a": ["1", "2"]], [guess(.arrayByBrackets, 1)])
        try expect("a[0]=1&a[1]=2", ["a": ["1", "2"]], [guess(.arrayByIndices)])
        try expect(
            "a[1]=1&a[0]=2", ["a": ["2", "1"]],
            [guess(.arrayByIndices), guess(.indicesOutOfOrder)])
        try expect(
            "a[0][x]=1&a[1][x]=2", ["a": [["x": "1"], ["x": "2"]]],
            [guess(.arrayByIndices), guess(.nestedByBrackets), guess(.nestedByBrackets, 1)])
        try expect(
            "a[][]=1&a[][]=2", ["a": [["1"], ["2"]]],
            [guess(.arrayByBrackets), guess(.arrayByBrackets), guess(.arrayByBrackets, 1)])
    }

    @Test func `query names whose indices have gaps become an object, not a sparse array`()
        throws
    {
        try expect("a[0]=1&a[2]=2", ["a": ["0": "1", "2": "2"]], [guess(.gapsInIndices)])
        try expect("a[4294967295]=1", ["a": ["4294967295": "1"]], [guess(.gapsInIndices)])
        try expect(
            "a[99999999999999999999]=1", ["a": ["99999999999999999999": "1"]],
            [guess(.nestedByBrackets)])
        try expect("a[00]=1&a[-1]=2", ["a": ["00": "1", "-1": "2"]], [guess(.nestedByBrackets)])
    }

    @Test func `query names that mix indices and member names become an object, not an array`()
        throws
    {
        try expect(
            "a[0]=1&a[x]=2&a[]=3", ["a": ["0": "1", "x": "2", "": "3"]], [guess(.mixedKeys)])
        try expect("a[0]=1&a[x]=2", ["a": ["0": "1", "x": "2"]], [guess(.mixedKeys)])
    }

    @Test func `in query names with empty brackets, a repeated member name starts the next object`()
        throws
    {
        try expect(
            "a[][x]=1&a[][y]=2&a[][x]=3", ["a": [["x": "1", "y": "2"], ["x": "3"]]],
            [
                guess(.arrayByBrackets), guess(.ambiguousElements), guess(.nestedByBrackets),
                guess(.nestedByBrackets, 2),
            ])
        let tree = try view("a[][x][y]=1&a[][x][z]=2&a[][t][]=3&a[][t][]=4&a[]=5&a[][x]=6")
        #expect(
            tree.parameter == [
                "a": [["x": ["y": "1", "z": "2"], "t": ["3", "4"]], "5", ["x": "6"]]
            ])
    }

    @Test func `a repeated query name becomes an array`() throws {
        try expect("a=1&b=2&a=3&a", ["a": ["1", "3", nil], "b": "2"], [guess(.repeatedName)])
        try expect(
            "a[0]=1&a[0]=2", ["a": [["1", "2"]]], [guess(.arrayByIndices), guess(.repeatedName)])
    }

    @Test func `a query name used both with and without brackets becomes two members`() throws {
        try expect(
            "a=1&a[b]=2", ["a": "1", "a": ["b": "2"]],
            [guess(.nestedByBrackets), guess(.valueAndContainer)])
        try expect(
            "a[b]=2&a=1", ["a": ["b": "2"], "a": "1"],
            [guess(.nestedByBrackets), guess(.valueAndContainer)])
        try expect(
            "a[0]=1&a[0][b]=2", ["a": ["0": "1", "0": ["b": "2"]]],
            [guess(.nestedByBrackets), guess(.nestedByBrackets), guess(.valueAndContainer)])
    }

    @Test(arguments: [
        "a[b", "a]", "[a]", "[", "]", "a[b]c", "a[b[c]]", "a[b]]", "[]", "a[b][", "a[][[]",
    ])
    func `malformed brackets in a query name are kept as text`(name: String) throws {
        try expect(name + "=1", Parameter.object([.init(name, "1")]), [guess(.bracketsAsText)])
    }

    @Test(arguments: [".", ".a", "a.", "a..b", "a[b].", "..."])
    func `misplaced dots in a query name are kept as text`(name: String) throws {
        try expect(name + "=1", Parameter.object([.init(name, "1")]), [guess(.dotsAsText)])
    }

    @Test func `query names nested deeper than the limit are kept as text`() throws {
        let limits = ParameterTreeLimits(depthMax: 3)
        #expect(try view("a[b][c]=1", limits: limits).parameter == ["a": ["b": ["c": "1"]]])
        let deep = try view("a[b][c][d]=1", limits: limits)
        #expect(deep.parameter == ["a[b][c][d]": "1"] && deep.guesses == [guess(.tooDeep)])
        let endless = "a" + String(repeating: "[b]", count: 1_000_000)
        #expect(try view(endless).guesses == [guess(.tooDeep)])
        let open = "a" + String(repeating: "[", count: 1_000_000)
        #expect(try view(open).guesses == [guess(.bracketsAsText)])
        let dots = "a" + String(repeating: ".b", count: 1_000_000)
        #expect(try view(dots).guesses == [guess(.tooDeep)])
    }

    @Test func `a query with more values than the limit is rejected with an error`() throws {
        let limits = ParameterTreeLimits(valueCountMax: 10)
        #expect(throws: ParameterTreeError.tooManyValues) {
            try view(String(repeating: "a[]=1&", count: 20), limits: limits)
        }
        #expect(throws: ParameterTreeError.tooManyValues) {
            try view(String(repeating: "a=1&", count: 20), limits: limits)
        }
    }

    @Test func `queries with 50,000 plain, nested or array pairs are converted to parameter trees`()
        throws
    {
        let count = 50_000
        for name in ["a[0]", "a[]", "a[][x]", "a", "a[b][c]", "a[][]"] {
            let text = String(repeating: name + "=1&", count: count)
            guard case .object(let members) = try view(text).parameter else { continue }
            #expect(members.count == 1)
        }
        let indexed = (0..<count).map { "a[\($0)]=1" }.joined(separator: "&")
        #expect(try view(indexed).guesses == [guess(.arrayByIndices)])
    }

    @Test func `the guesses made about nested query names are listed in the order of the pairs`()
        throws
    {
        var random = SplitMix(seed: 25)
        let alphabet = Array("ab01[][]..&&==".utf8)
        for _ in 0..<5_000 {
            let bytes = random.bytes(countMax: 40, from: alphabet)
            let pairs = QueryDecoder().decode(bytes)
            let tree = try ParameterTree.view(of: pairs)
            #expect(tree.guesses.map(\.pair) == tree.guesses.map(\.pair).sorted())
            #expect(tree.guesses.allSatisfy { pairs.pairs.indices.contains($0.pair) })
        }
    }
}
