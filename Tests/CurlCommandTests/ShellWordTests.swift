import ProxydCurlCommand
import Testing

@Suite struct ShellWordTests {
    @Test func `nothing within single quotes has a meaning`() {
        #expect(ShellWord.quoted("$HOME `x` \"!\" \\") == "'$HOME `x` \"!\" \\'")
    }

    @Test func `a single quote is written outside of the quotes`() {
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }
}
