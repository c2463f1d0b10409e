package coconut

import "testing"

// The vectors are a test only if they fail where one number of the reader is another.
func TestVectorsSeeChangedNumbers(t *testing.T) {
	changes := map[string]func() func(){
		"the first byte of a float": func() func() {
			wide[0xCB&31], wide[0xCA&31] = wide[0xCA&31], wide[0xCB&31]
			return func() { wide[0xCB&31], wide[0xCA&31] = wide[0xCA&31], wide[0xCB&31] }
		},
		"the bytes of a str 8": func() func() {
			wide[0xD9&31].size = 2
			return func() { wide[0xD9&31].size = 1 }
		},
		"the signature": func() func() {
			before := signature
			signature = "\xC4\x08\x88CC\r\n\x1A\n\x00"
			return func() { signature = before }
		},
		"the largest depth of the header": func() func() {
			before := limits["depth"]
			limits["depth"] = 2
			return func() { limits["depth"] = before }
		},
	}
	good := vectors(t, "good")
	for name, change := range changes {
		undo := change()
		failed := 0
		for _, v := range good {
			if f, err := OpenBytes(v.bytes); err != nil || f.Check() != nil {
				failed++
			}
		}
		undo()
		if failed == 0 {
			t.Errorf("no vector sees another value of %s", name)
		}
	}
}
