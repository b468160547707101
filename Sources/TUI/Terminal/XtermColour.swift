internal import Glibc

/// One of the colours 16 to 255, which are the same on every terminal with 256 colours.
struct XtermColour: Sendable, Hashable {
    /// The components, from 0 to 1.
    let red: Double
    let green: Double
    let blue: Double

    init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates the colour with a number; black if it is not one of these.
    init(_ number: Int) {
        if number >= 232 {
            let grey = Double(8 + 10 * (min(number, 255) - 232)) / 255
            self.init(red: grey, green: grey, blue: grey)
            return
        }
        let steps: [Double] = [0, 95, 135, 175, 215, 255]
        let place = max(0, number - 16)
        self.init(
            red: steps[place / 36 % 6] / 255, green: steps[place / 6 % 6] / 255,
            blue: steps[place % 6] / 255)
    }

    /// The brightness from 0 to 1 (relative luminance, WCAG 2.2).
    var luminance: Double {
        func linear(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio, from 1 (none) to 21.
    func contrast(_ other: XtermColour) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }
}
