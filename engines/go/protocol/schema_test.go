package protocol

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// object is a part of a JSON schema.
type object = map[string]any

// messages maps the schemas of dbdyno's types to the types here that read or write the described JSON. A key is the
// name of a definition, or empty for the message itself. A colon in the key precedes the name of one of its choices:
// the value of the field that distinguishes the choices.
var messages = map[string]map[string]any{
	"job": {
		"": Job{}, "SliceTerms": SliceTerms{}, "SuiteJob:kv": KvSuite{}, "SuiteJob:sql": SQLSuite{}, "KvTest": KvTest{}, "KvActor": KvActor{},
		"Arrival": Arrival{}, "During": During{}, "KvStatements": KvStatements{}, "Work": KvWork{}, "SqlTest": SQLTest{},
		"SqlActor": SQLActor{}, "ReplaySpec": Replay{}, "ReplayedStatement": ReplayedStatement{}, "Step": Step{}, "CopySpec": CopySpec{}, "ObjectSpec": Object{}, "Parameter": Parameter{},
		"Popularity": Popularity{}, "TableSpec": Table{}, "ColumnSpec": Column{}, "IndexSpec": Index{},
		"TransactionScope": struct {
			Batch uint64 `json:"batch"`
		}{},
		"KeyChoice": struct {
			Popular []Popularity `json:"popular"`
		}{},
		"Choice": Choice{},
		"Draw": struct {
			Popular []Popularity `json:"popular"`
		}{},
		"Literal": struct {
			Null bool   `json:"null"`
			Blob string `json:"blob"`
		}{},
	},
	"event": {
		":opened": Opened{}, ":test_started": TestStarted{}, ":progress": Progress{}, ":test_done": TestDone{}, ":done": done{},
		":failed": failed{}, ":turn": Turn{}, ":committed": counted{}, ":recovered": counted{}, "ActorHead": ActorHead{},
		"ActorProgress": ActorProgress{}, "ActorDone": ActorDone{}, "StatementDone": StatementDone{},
		"StatementProgress": StatementProgress{}, "TableContent": TableContent{}, "PlannedQuery": PlannedQuery{},
		"ExplainedTest": ExplainedTest{}, "SpentTime": SpentTime{},
	},
	"description": {
		"": Description{}, "OptionSpec": Option{}, "MemoryTarget": Memory{}, "Tuning": Tuning{}, "SameRule": Same{},
		"SettingStatement": Statement{}, "TierRule": Tier{}, "Conflict": Conflict{}, "ImplementationRule": Implementation{},
		"Threads": Threads{}, "KvAbility": KvAbility{},
	},
	"probe": {"": Probed{}, "TierRule": Tier{}},
}

// unread are definitions that are kept as raw JSON: plans are for engines without SQL.
var unread = []string{"DirectPlan", "Condition", "Assignment"}

func TestTheTypesHaveTheFieldsOfTheSchemas(t *testing.T) {
	for message, types := range messages {
		text, err := os.ReadFile("../../../assets/schemas/" + message + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var schema object
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		described := shapes(schema)
		for name, properties := range described {
			if of, known := types[name]; known {
				compare(t, message+" "+name, schema, properties, reflect.TypeOf(of))
			} else if !slices.Contains(unread, name) {
				t.Errorf("%s: no type here is its `%s`: %v", message, name, slices.Sorted(maps.Keys(properties)))
			}
		}
		for name := range types {
			if described[name] == nil {
				t.Errorf("%s: the schema has no `%s` any more", message, name)
			}
		}
	}
}

// shapes returns the properties of all objects of a schema, by the keys that messages uses.
func shapes(schema object) map[string]object {
	found := map[string]object{}
	add := func(name string, of object) {
		for _, choice := range choices(of) {
			properties, _ := choice["properties"].(object)
			if properties == nil {
				continue
			}
			key := name
			if name == "" || name == "SuiteJob" {
				for _, tag := range []string{"event", "kind"} {
					if tagged, is := properties[tag].(object); is {
						key = fmt.Sprintf("%s:%v", name, tagged["const"])
					}
				}
			}
			if found[key] == nil {
				found[key] = object{}
			}
			maps.Copy(found[key], properties)
		}
	}
	add("", schema)
	definitions, _ := schema["$defs"].(object)
	for name, definition := range definitions {
		add(name, definition.(object))
	}
	return found
}

// choices returns the choices of a schema, or the schema itself if it has none.
func choices(of object) []object {
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, has := of[key].([]any); has {
			var all []object
			for _, one := range list {
				all = append(all, one.(object))
			}
			return all
		}
	}
	return []object{of}
}

// compare compares the fields of a type with the properties of its schema, in both directions.
func compare(t *testing.T, name string, schema, properties object, of reflect.Type) {
	t.Helper()
	fields := map[string]reflect.Type{}
	collect(of, fields)
	for property, described := range properties {
		field, has := fields[property]
		delete(fields, property)
		if _, fixed := described.(object)["const"]; fixed && property == "kind" {
			continue
		}
		if !has {
			t.Errorf("%s: %s has no field `%s`", name, of, property)
			continue
		}
		// A type that unmarshals itself decides which kinds it accepts.
		reads := reflect.PointerTo(field).Implements(reflect.TypeFor[json.Unmarshaler]()) || field.Implements(reflect.TypeFor[json.Unmarshaler]())
		if kinds := kindsOf(schema, described.(object)); !reads && len(kinds) > 0 && !slices.Contains(kinds, kindOf(field)) {
			t.Errorf("%s: field `%s` of %s is %s, expected %s", name, property, of, kindOf(field), strings.Join(kinds, " or "))
		}
	}
	for field := range fields {
		t.Errorf("%s: the schema has no field `%s`, and %s has", name, field, of)
	}
}

// collect adds the fields of a type by their JSON names, including those of embedded types.
func collect(of reflect.Type, fields map[string]reflect.Type) {
	for _, field := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" && len(field.Index) == 1 {
			fields[name] = field.Type
		}
		if field.Anonymous {
			collect(field.Type, fields)
		}
	}
}

// kindsOf returns the kinds of JSON values that a schema accepts, without null. It returns none if the schema
// accepts all.
func kindsOf(schema, of object) []string {
	if reference, is := of["$ref"].(string); is {
		definition := schema["$defs"].(object)[strings.TrimPrefix(reference, "#/$defs/")]
		return kindsOf(schema, definition.(object))
	}
	var kinds []string
	for _, choice := range choices(of) {
		switch kind := choice["type"].(type) {
		case string:
			kinds = append(kinds, kind)
		case []any:
			for _, one := range kind {
				kinds = append(kinds, one.(string))
			}
		case nil:
			if _, refers := choice["$ref"]; refers {
				kinds = append(kinds, kindsOf(schema, choice)...)
			}
		}
	}
	return slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" })
}

// kindOf returns the kind of JSON value that a type represents.
func kindOf(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Pointer:
		return kindOf(of.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Float64:
		// These are integers that are used in real-number arithmetic.
		return "integer"
	}
	if of.ConvertibleTo(reflect.TypeFor[uint64]()) {
		return "integer"
	}
	return of.Kind().String()
}

func TestCountersStandBesideTheFields(t *testing.T) {
	counters := Counters{"busy": 3, "operations": 9}
	text, err := json.Marshal(ActorDone{Name: "a", Operations: 1, Counters: counters})
	if err != nil {
		t.Fatal(err)
	}
	var written object
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	if written["busy"] != 3.0 || written["operations"] != 1.0 {
		t.Errorf("%s: expected the counter, and the field where both have a name", text)
	}
	if _, told := written["response"]; told {
		t.Errorf("%s: no response was due", text)
	}
}
