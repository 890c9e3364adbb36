package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// scripts are the same few sentences, as they would be written in twelve scripts; a chat repeats them until it is long
// enough to be measured.
var scripts = []struct{ name, text string }{
	{"English", "The harbour was quiet in the morning. Two boats came in with fish, and the keeper of the light wrote the hour into his book before he went home. "},
	{"Polish", "Rano w porcie było cicho. Przypłynęły dwie łodzie z rybami, a latarnik zapisał godzinę w swojej księdze, zanim poszedł do domu. "},
	{"Russian", "Утром в порту было тихо. Пришли две лодки с рыбой, и смотритель маяка записал час в свою книгу, прежде чем пойти домой. "},
	{"Greek", "Το πρωί το λιμάνι ήταν ήσυχο. Ήρθαν δύο βάρκες με ψάρια και ο φαροφύλακας έγραψε την ώρα στο βιβλίο του πριν πάει στο σπίτι. "},
	{"Arabic", "كان الميناء هادئا في الصباح. وصل قاربان محملان بالسمك، وكتب حارس المنارة الساعة في دفتره قبل أن يعود إلى بيته. "},
	{"Hebrew", "בבוקר היה הנמל שקט. שתי סירות הגיעו עם דגים, ושומר המגדלור רשם את השעה בספרו לפני שהלך הביתה. "},
	{"Hindi", "सुबह बंदरगाह शांत था। मछलियों से भरी दो नावें आईं और प्रकाशस्तंभ के रखवाले ने घर जाने से पहले अपनी किताब में समय लिखा। "},
	{"Thai", "ตอนเช้าท่าเรือเงียบสงบ เรือสองลำเข้ามาพร้อมปลา และคนเฝ้าประภาคารจดเวลาลงในสมุดก่อนกลับบ้าน "},
	{"Chinese", "早晨的港口很安静。两条船载着鱼进来了，守灯塔的人在回家之前把时间写进了他的本子里。"},
	{"Japanese", "朝の港は静かだった。二隻の船が魚を積んで入ってきて、灯台守は家に帰る前に時刻を帳面に書いた。"},
	{"Korean", "아침 항구는 조용했다. 배 두 척이 물고기를 싣고 들어왔고, 등대지기는 집에 가기 전에 시간을 공책에 적었다. "},
	{"Code", "func (h *Harbour) Enter(boat Boat) error {\n\tif h.full() {\n\t\treturn fmt.Errorf(\"enter %s: no berth left\", boat.Name)\n\t}\n\th.boats = append(h.boats, boat)\n\treturn nil\n}\n"},
}

// TestFirstSight: the first request in each script, before anything was reported for its model, is announced within 25 %
// of what the engine counts, English within 10 %; the second, another chat after one report, within 5 %. Each script has
// a model name of its own, so nothing is learned from the others.
func TestFirstSight(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("starts a real engine behind Recap")
	}
	window := fmt.Sprintf(`models: [{match: "*", contextWindow: %d}]`, window) // known at once, and the same for all names
	proxy := startRecap(t, startEngine(t), settings{blocks: []string{window}})
	for _, s := range scripts {
		first := map[bool]float64{true: 0.10, false: 0.25}[s.name == "English"]
		for n, most := range []float64{first, 0.05} {
			c := newChatter(proxy.url)
			c.model = "first-sight-" + strings.ToLower(s.name)
			u, err := c.say(t.Context(), strings.Repeat(s.text, 1+1500/len(s.text))+strings.Repeat("?", n))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-8s request %d: announced %d, counted %d: %.1f %% off", s.name, n+1, u.after, u.prompt, 100*u.off())
			if u.off() > most {
				t.Errorf("%s, request %d: announced %d, counted %d, want within %.0f %%", s.name, n+1, u.after, u.prompt, 100*most)
			}
		}
	}
}
