// Command clients lists the sources of a daemon by a client that is generated from the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/feedwire/feedwire/clients/api"
)

func main() {
	client, err := api.NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	page, err := client.ListSourcesWithResponse(context.Background(), &api.ListSourcesParams{})
	if err != nil || page.JSON200 == nil {
		panic(fmt.Sprint(err, page.Status()))
	}
	for _, source := range page.JSON200.Items {
		fmt.Println(source.Id, source.Url)
	}
}
