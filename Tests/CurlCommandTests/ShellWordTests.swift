import ProxydCurlCommand
import Testing

@Suite struct ShellWordTests {
    @Test func `special characters in a shell word are put in single quotes`() {
        #expect(ShellWord.quoted("$HOME `x` \"!\" \\") == "'$HOME `x` \"!\" \\'")
    }

    @Test func `a single quote in a shell word is written outside the quotes`() {
        #expect(ShellWord.quoted("it's") == "'it'\\''s'")
    }
}
