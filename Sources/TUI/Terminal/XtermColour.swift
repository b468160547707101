internal import Foundation

/// One of the colours 16 to 255, which are the same on every terminal with 256.
struct XtermColour: Sendable, Hashable {
    /// From 0 to 1 each.
    let red: Double
    let green: Double
    let blue: Double

    init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// A colour by its number; black where it is none of these.
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

    /// How bright it is, from 0 to 1 (WCAG 2.2, relative luminance).
    var luminance: Double {
        func linear(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// How well one is seen on the other: from 1, not at all, to 21.
    func contrast(_ other: XtermColour) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }
}
